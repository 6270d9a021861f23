const PRESENT_MS = 30_000;

let last = Date.now();

const note = () => {
  last = Date.now();
};
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus']) {
  window.addEventListener(event, note, { passive: true, capture: true });
}

/**
 * Whether someone is using the page. Requests of an unattended page must not extend the session, because open pages poll
 * their lists forever.
 */
export const isSomebodyHere = (): boolean => Date.now() - last < PRESENT_MS;
