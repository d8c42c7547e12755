() => [
  Math.max(document.documentElement.scrollWidth, 1),
  Math.max(document.documentElement.scrollHeight, 1),
]
