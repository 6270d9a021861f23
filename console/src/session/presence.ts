const PRESENT_MS = 30_000;

let lastInputAt = Date.now();

const recordInput = () => {
  lastInputAt = Date.now();
};
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus']) {
  window.addEventListener(event, recordInput, { passive: true, capture: true });
}

/**
 * Returns whether someone is using the page. Requests of an unattended page must not extend the session, because an open page
 * polls its lists forever.
 */
export const isInUse = (): boolean => Date.now() - lastInputAt < PRESENT_MS;
