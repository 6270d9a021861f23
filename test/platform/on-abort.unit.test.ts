import { getEventListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { doneOrAborted, onAbort } from '../../src/platform/on-abort.js';

it('a listener is called once its signal fires, and at once where it has fired', () => {
  const controller = new AbortController();
  const listener = vi.fn();
  onAbort(controller.signal, listener);
  expect(listener).not.toHaveBeenCalled();
  controller.abort();
  expect(listener).toHaveBeenCalledTimes(1);
  onAbort(controller.signal, listener);
  expect(listener).toHaveBeenCalledTimes(2);
});

it('one that listens no more is not called, and nothing of it stays with the signal', () => {
  const controller = new AbortController();
  const listener = vi.fn();
  onAbort(controller.signal, listener)();
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  controller.abort();
  expect(listener).not.toHaveBeenCalled();
});

it('work is waited for until it is done, fails, or the signal fires, and then leaves nothing with the signal', async () => {
  const { signal } = new AbortController();
  await doneOrAborted(Promise.resolve(), signal);
  await expect(doneOrAborted(Promise.reject(new Error('it failed')), signal)).rejects.toThrow('it failed');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  const stop = new AbortController();
  const waiting = doneOrAborted(new Promise(() => undefined), stop.signal);
  stop.abort();
  await waiting;
});
