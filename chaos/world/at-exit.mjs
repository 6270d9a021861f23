const cleanups = new Set();

process.on('exit', () => {
  for (const cleanUp of [...cleanups].reverse()) cleanUp();
});

/**
 * Registers a cleanup that runs when this process ends for any reason except SIGKILL. Cleanups run in reverse order.
 * @param {() => void} cleanUp synchronous
 * @returns {() => void} unregisters it, after a regular cleanup
 */
export function atExit(cleanUp) {
  cleanups.add(cleanUp);
  return () => cleanups.delete(cleanUp);
}

/** @param {import('node:child_process').ChildProcess} child killed when this process ends */
export function killAtExit(child) {
  child.once(
    'exit',
    atExit(() => child.kill('SIGKILL')),
  );
}
