import { describe, expect, it } from 'vitest';
import { LazyFunctions } from '../../../src/surfaces/http/lazy-functions.js';

function createFixture() {
  const lazy = new LazyFunctions();
  const createdNames: string[] = [];
  const add = (name: string) =>
    lazy.add(() => {
      createdNames.push(name);
      return (text: string) => `${name} ${text}`;
    });
  return { lazy, createdNames, add };
}

describe('LazyFunctions', () => {
  it('creates each function once, on its first call', () => {
    const { createdNames, add } = createFixture();
    const greet = add('hello');
    add('goodbye');
    expect(createdNames).toEqual([]);
    expect([greet('Ada'), greet('Grace')]).toEqual(['hello Ada', 'hello Grace']);
    expect(createdNames).toEqual(['hello']);
  });

  it('creates all functions in the background without blocking the event loop', async () => {
    const { lazy, createdNames, add } = createFixture();
    const [firstFunction] = [add('first'), add('second'), add('third')];
    firstFunction('call');
    const creation = lazy.createAll();
    const createdAtOnce = await new Promise<number>((resolve) => setImmediate(() => resolve(createdNames.length)));
    expect(createdAtOnce).toBeLessThan(3);
    await creation;
    expect(createdNames).toEqual(['first', 'second', 'third']);
  });

  it('waits while the event loop is busy', async () => {
    const { lazy, createdNames, add } = createFixture();
    for (const name of ['first', 'second', 'third']) add(name);
    const creation = lazy.createAll();
    const busyUntil = performance.now() + 150;
    await new Promise<void>((resolve) => {
      const keepBusy = () => (performance.now() < busyUntil ? setImmediate(keepBusy) : resolve());
      keepBusy();
    });
    expect(createdNames).toEqual(['first']);
    await creation;
    expect(createdNames).toEqual(['first', 'second', 'third']);
  });

  it('creates no more functions after a stop, except when they are called', async () => {
    const { lazy, createdNames, add } = createFixture();
    const [, secondFunction, thirdFunction] = [add('first'), add('second'), add('third')];
    const creation = lazy.createAll();
    lazy.stop();
    await creation;
    expect(createdNames).toEqual(['first']);
    expect(thirdFunction('call')).toBe('third call');
    expect(secondFunction('call')).toBe('second call');
  });

  it('throws the error of a failed creation at each call', async () => {
    const lazy = new LazyFunctions();
    const broken = lazy.add((): (() => void) => {
      throw new Error('no such keyword');
    });
    expect(broken).toThrow('no such keyword');
    expect(broken).toThrow('no such keyword');
    await expect(lazy.createAll()).rejects.toThrow('no such keyword');
  });
});
