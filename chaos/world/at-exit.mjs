const cleanups = new Set();

process.on('exit', () => {
  for (const cleanUp of [...cleanups].reverse()) cleanUp();
});

/**
 * Registers a cleanup for when this process ends for any reason except SIGKILL. Cleanups run in reverse order.
 * @param {() => void} cleanUp synchronous
 * @returns {() => void} unregisters the cleanup
 */
export function atExit(cleanUp) {
  cleanups.add(cleanUp);
  return () => cleanups.delete(cleanUp);
}

/** @param {import('node:child_process').ChildProcess} child */
export function killAtExit(child) {
  child.once(
    'exit',
    atExit(() => child.kill('SIGKILL')),
  );
}
