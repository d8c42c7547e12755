// Offers the browser's own way to make a PDF: without scripts its menu does.
"use strict";
const print = document.getElementById("print");
print.hidden = false;
print.firstElementChild.addEventListener("click", () => window.print());
