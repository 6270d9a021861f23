import { describe, expect, it } from 'vitest';
import { LazyFunctions } from '../../../src/surfaces/http/lazy-functions.js';

function counting() {
  const late = new LazyFunctions();
  const made: string[] = [];
  const add = (name: string) =>
    late.add(() => {
      made.push(name);
      return (text: string) => `${name} ${text}`;
    });
  return { late, made, add };
}

describe('LazyFunctions', () => {
  it('creates each function on its first call, once', () => {
    const { made, add } = counting();
    const greet = add('hello');
    add('goodbye');
    expect(made).toEqual([]);
    expect([greet('Ada'), greet('Grace')]).toEqual(['hello Ada', 'hello Grace']);
    expect(made).toEqual(['hello']);
  });

  it('creates all of them in makeAll, leaving turns of the event loop to other work', async () => {
    const { late, made, add } = counting();
    const [first] = [add('first'), add('second'), add('third')];
    first('call');
    const all = late.createAll();
    const madeAtOnce = await new Promise<number>((resolve) => setImmediate(() => resolve(made.length)));
    expect(madeAtOnce).toBeLessThan(3);
    await all;
    expect(made).toEqual(['first', 'second', 'third']);
  });

  it('waits while the event loop is busy', async () => {
    const { late, made, add } = counting();
    for (const name of ['first', 'second', 'third']) add(name);
    const all = late.createAll();
    const end = performance.now() + 150;
    await new Promise<void>((resolve) => {
      const work = () => (performance.now() < end ? setImmediate(work) : resolve());
      work();
    });
    expect(made).toEqual(['first']);
    await all;
    expect(made).toEqual(['first', 'second', 'third']);
  });

  it('creates no more functions after stop, except when they are called', async () => {
    const { late, made, add } = counting();
    const [, second, third] = [add('first'), add('second'), add('third')];
    const all = late.createAll();
    late.stop();
    await all;
    expect(made).toEqual(['first']);
    expect(third('call')).toBe('third call');
    expect(second('call')).toBe('second call');
  });

  it('throws the error of the creation at each call', async () => {
    const late = new LazyFunctions();
    const broken = late.add((): (() => void) => {
      throw new Error('no such keyword');
    });
    expect(broken).toThrow('no such keyword');
    expect(broken).toThrow('no such keyword');
    await expect(late.createAll()).rejects.toThrow('no such keyword');
  });
});
