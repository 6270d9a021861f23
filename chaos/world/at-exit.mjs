const undone = new Set();

process.on('exit', () => {
  for (const undo of [...undone].reverse()) undo();
});

/**
 * Has something undone that must not outlive this process, however it ends; what came last is undone first.
 * @param {() => void} undo done at once: nothing is waited for
 * @returns {() => void} to be called when it is undone already
 */
export function atExit(undo) {
  undone.add(undo);
  return () => undone.delete(undo);
}

/** @param {import('node:child_process').ChildProcess} child that must not outlive this process */
export function killedAtExit(child) {
  child.once(
    'exit',
    atExit(() => child.kill('SIGKILL')),
  );
}
