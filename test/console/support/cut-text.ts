import type { Page } from 'playwright-core';

/** Script that records all texts drawn on a canvas, if it runs before the page's own scripts. */
export const WATCH_CANVAS = `(() => {
  const proto = CanvasRenderingContext2D.prototype;
  const drawn = new WeakMap();
  const { clearRect, fillText } = proto;
  proto.clearRect = function (...rect) {
    drawn.set(this.canvas, []);
    return clearRect.apply(this, rect);
  };
  proto.fillText = function (text, x, y, ...more) {
    const { width, actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = this.measureText(text);
    const { a, e } = this.getTransform();
    const texts = drawn.get(this.canvas) ?? [];
    texts.push({ text: String(text), from: a * (x - left) + e, to: a * (x + right) + e, width });
    drawn.set(this.canvas, texts);
    return fillText.call(this, text, x, y, ...more);
  };
  window.textsOf = (canvas) => drawn.get(canvas) ?? [];
})()`;

const TOLERANCE = 1.5;

const FIND_TRUNCATED = `(() => {
  const cut = [];
  for (const canvas of document.querySelectorAll('canvas')) {
    const scale = canvas.width / canvas.clientWidth;
    for (const { text, from, to } of window.textsOf(canvas)) {
      const isOver = from < -${TOLERANCE} * scale || to > canvas.width + ${TOLERANCE} * scale;
      if (isOver || text.includes('…')) cut.push('a chart cuts "' + text + '"');
    }
  }
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || parent.closest('.visually-hidden, pre, code, script, style, textarea') || !isShown(parent)) continue;
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}.,:%+€$]+/gu)) {
      // Long strings such as keys may be broken.
      if (word.length > 20) continue;
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)));
      if (lines.size > 1) cut.push('"' + word + '" is broken in "' + node.data.slice(0, 80) + '"');
    }
  }
  return cut;
})()`;

export async function findTruncatedTexts(page: Page): Promise<string[]> {
  return (await page.evaluate(FIND_TRUNCATED)) as string[];
}
