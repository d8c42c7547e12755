/* Runs before any script of any frame: no pop-ups, dialogs, print windows, service workers. */
() => {
  window.open = address => { window.openedByScript = String(address || ''); return null; };
  window.print = () => undefined;
  window.alert = window.confirm = window.prompt = () => null;
  window.onbeforeunload = null;
  if (navigator.serviceWorker) try {
    navigator.serviceWorker.register = () => new Promise(() => {}); } catch (e) {}
}
