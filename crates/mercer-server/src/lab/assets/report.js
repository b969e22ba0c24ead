// A panel as one HTML file that needs nothing else.

import { download, el, say } from './ui.js';

export function reportButton(panel, title) {
  return el('button', { type: 'button', class: 'fixed', 'data-report': true, onclick: () => save(panel(), title()) }, 'Save as HTML report');
}

async function save(panel, title) {
  const style = await (await fetch('/style.css', { credentials: 'same-origin' })).text();
  const copy = panel.cloneNode(true);
  const drawn = panel.querySelectorAll('canvas');
  copy.querySelectorAll('canvas').forEach((canvas, i) => {
    canvas.replaceWith(el('img', { src: drawn[i].toDataURL('image/png'), alt: canvas.getAttribute('aria-label') ?? 'picture' }));
  });
  copy.querySelectorAll('button, input, select, textarea, .no-report').forEach((node) => node.remove());
  copy.querySelectorAll('details').forEach((node) => node.setAttribute('open', ''));
  const page = document.implementation.createHTMLDocument(title);
  page.documentElement.lang = 'en';
  const charset = page.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  page.head.prepend(charset);
  page.body.className = 'report';
  const main = page.createElement('main');
  const heading = page.createElement('h1');
  heading.textContent = title;
  main.append(heading, page.importNode(copy, true));
  page.body.append(main);
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'report';
  // As text: a style element of this document is against the policy of the page.
  const text = page.documentElement.outerHTML.replace('</head>', () => `<style>\n${style}</style></head>`);
  download(`mercer-${name}.html`, '<!doctype html>\n' + text, 'text/html');
  say('The report is saved.');
}
