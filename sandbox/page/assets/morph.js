/** The attributes that the viewer controls: the server's markup does not change them. */
const PERSONAL = new Set(['open', 'aria-busy', 'data-pointed']);

function syncAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !PERSONAL.has(name)) from.removeAttribute(name);
  }
  for (const { name, value } of [...to.attributes]) {
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  }
}

/** A switch follows the server only when the server's own view of it has changed. */
function syncChecked(from, to) {
  if (from.matches('input') && from.defaultChecked !== to.defaultChecked) from.checked = to.defaultChecked;
}

function isSame(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id ?? '') === (b.id ?? '');
}

function morphNode(from, to) {
  if (from.nodeType !== Node.ELEMENT_NODE) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  syncChecked(from, to);
  syncAttributes(from, to);
  morphChildren(from, to);
}

/** Makes the children of `from` those of `to`, and keeps every element that is in both, with focus and scroll. */
function morphChildren(from, to) {
  const named = new Map([...from.children].filter(({ id }) => id !== '').map((child) => [child.id, child]));
  let place = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const known = wanted.id ? named.get(wanted.id) : undefined;
    if (known !== undefined && known.nodeName === wanted.nodeName) {
      if (known === place) place = place.nextSibling;
      else from.insertBefore(known, place);
      morphNode(known, wanted);
    } else if (place !== null && isSame(place, wanted)) {
      const kept = place;
      place = place.nextSibling;
      morphNode(kept, wanted);
    } else {
      from.insertBefore(wanted, place);
    }
  }
  while (place !== null) {
    const gone = place;
    place = place.nextSibling;
    gone.remove();
  }
}

/** Makes the content of `element` this markup, changing as little as possible. The markup is the server's own. */
export function morph(element, markup) {
  const template = document.createElement('template');
  template.innerHTML = markup;
  morphChildren(element, template.content);
}
