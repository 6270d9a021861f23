/** Milliseconds after the last sign of somebody for which a page counts as used. */
const PRESENT_MS = 30_000;

let last = Date.now();

const note = () => {
  last = Date.now();
};
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus']) {
  window.addEventListener(event, note, { passive: true, capture: true });
}

/**
 * Whether somebody is at the page. What it asks while nobody is keeps no session: an open page looks at its lists again and
 * again by itself.
 */
export const isSomebodyHere = (): boolean => Date.now() - last < PRESENT_MS;
