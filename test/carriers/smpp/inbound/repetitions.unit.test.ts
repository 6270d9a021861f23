import { describe, expect, it } from 'vitest';
import { Repetitions } from '../../../../src/carriers/smpp/inbound/repetitions.js';

describe('Repetitions', () => {
  const connection = {};
  let idCount = 0;
  const makeId = () => `id-${++idCount}`;

  it('Repetitions treats the same text sent twice by a person as two messages', () => {
    const repetitions = new Repetitions();
    const first = repetitions.register('OK', connection, 0, makeId);
    const second = repetitions.register('OK', connection, 100, makeId);
    expect(second.id).not.toBe(first.id);
    second.isStored = true;
    second.answeredAt = 200;
    expect(repetitions.register('OK', connection, 300, makeId).id).not.toBe(second.id);
  });

  it('Repetitions recognizes a repetition after the connection ended before or just after the response', () => {
    const repetitions = new Repetitions();
    const unanswered = repetitions.register('A', connection, 0, makeId);
    const answered = repetitions.register('B', connection, 0, makeId);
    Object.assign(answered, { isStored: true, answeredAt: 10 });
    repetitions.handleConnectionEnd(connection, 5_000);
    expect(repetitions.register('A', {}, 60_000, makeId)).toMatchObject({ id: unanswered.id, isStored: false });
    expect(repetitions.register('B', {}, 60_000, makeId)).toMatchObject({ id: answered.id, isStored: true });
    expect(repetitions.register('B', {}, 60_001, makeId).id).not.toBe(answered.id);
  });

  it('Repetitions forgets a delivery that turned out to be a receipt', () => {
    const repetitions = new Repetitions();
    const receipt = repetitions.register('A', connection, 0, makeId);
    repetitions.forget(receipt);
    repetitions.handleConnectionEnd(connection, 10);
    expect(repetitions.register('A', {}, 20, makeId).id).not.toBe(receipt.id);
  });

  it('Repetitions treats equal text as a new message once a repetition is no longer plausible', () => {
    const repetitions = new Repetitions();
    const first = repetitions.register('A', connection, 0, makeId);
    Object.assign(first, { isStored: true, answeredAt: 10 });
    repetitions.handleConnectionEnd(connection, 20_000);
    expect(repetitions.register('A', {}, 21_000, makeId).id).not.toBe(first.id);
    const third = repetitions.register('B', connection, 21_000, makeId);
    repetitions.handleConnectionEnd(connection, 22_000);
    expect(repetitions.register('B', {}, 22_000 + 11 * 60_000, makeId).id).not.toBe(third.id);
  });

  it('Repetitions recognizes a repetition after an error response or an overdue response', () => {
    const repetitions = new Repetitions();
    const failed = repetitions.register('A', connection, 0, makeId);
    failed.answeredAt = 10;
    expect(repetitions.register('A', connection, 1_000, makeId).id).toBe(failed.id);
    const slow = repetitions.register('B', connection, 0, makeId);
    expect(repetitions.register('B', connection, 30_000, makeId).id).toBe(slow.id);
  });
});
