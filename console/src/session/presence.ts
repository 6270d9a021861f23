const PRESENT_MS = 30_000;

let lastInputAt = Date.now();

const recordInput = () => {
  lastInputAt = Date.now();
};
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus']) {
  window.addEventListener(event, recordInput, { passive: true, capture: true });
}

/**
 * Whether someone is using the page. Requests of an unattended page must not extend the session, because open pages poll
 * their lists forever.
 */
export const isInUse = (): boolean => Date.now() - lastInputAt < PRESENT_MS;
