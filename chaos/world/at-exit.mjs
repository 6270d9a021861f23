const undone = new Set();

process.on('exit', () => {
  for (const undo of [...undone].reverse()) undo();
});

/**
 * Registers a cleanup for what must not outlive this process, however it ends. Cleanups run in reverse order.
 * @param {() => void} undo synchronous
 * @returns {() => void} unregisters it after a regular cleanup
 */
export function atExit(undo) {
  undone.add(undo);
  return () => undone.delete(undo);
}

/** @param {import('node:child_process').ChildProcess} child killed when this process ends */
export function killedAtExit(child) {
  child.once(
    'exit',
    atExit(() => child.kill('SIGKILL')),
  );
}
