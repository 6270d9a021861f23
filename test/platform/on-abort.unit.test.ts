import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { onAbort, waitForDoneOrAborted } from '../../src/platform/on-abort.js';

it('onAbort calls its listener when the signal fires, or at once if it already has', () => {
  const controller = new AbortController();
  const listener = vi.fn();
  onAbort(controller.signal, listener);
  expect(listener).not.toHaveBeenCalled();
  controller.abort();
  expect(listener).toHaveBeenCalledTimes(1);
  onAbort(controller.signal, listener);
  expect(listener).toHaveBeenCalledTimes(2);
});

it('a removed listener is not called and leaves nothing on the signal', () => {
  const controller = new AbortController();
  const listener = vi.fn();
  onAbort(controller.signal, listener)();
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  controller.abort();
  expect(listener).not.toHaveBeenCalled();
});

it('doneOrAborted waits for the work or the signal and leaves nothing on the signal', async () => {
  const { signal } = new AbortController();
  await waitForDoneOrAborted(Promise.resolve(), signal);
  await expect(waitForDoneOrAborted(Promise.reject(new Error('it failed')), signal)).rejects.toThrow('it failed');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  const stop = new AbortController();
  const result = waitForDoneOrAborted(new Promise(() => undefined), stop.signal);
  stop.abort();
  await result;
});
