// A button beside a text puts it on the clipboard. Without this script the buttons stay hidden and the text can be
// selected by hand.

const SAID_MS = 2_000;

/** @param {HTMLElement} source */
function select(source) {
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** @param {HTMLButtonElement} button */
function connect(button) {
  const source = document.getElementById(button.dataset.copies ?? '');
  if (source === null) return;
  const label = button.textContent;
  let timer = 0;
  button.hidden = false;
  button.addEventListener('click', async () => {
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
    } catch {
      // Not allowed here, or no secure connection: the person's own copy command still works.
      select(source);
      said = 'Selected';
    }
    button.textContent = said;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = label;
    }, SAID_MS);
  });
}

for (const button of document.querySelectorAll('button[data-copies]')) connect(button);
