import { describe, expect, it } from 'vitest';
import { Repetitions } from '../../../../src/carriers/smpp/inbound/repetitions.js';

describe('Repetitions', () => {
  const connection = {};
  let idCount = 0;
  const makeId = () => `id-${++idCount}`;

  it('the repetition detector treats the same text sent twice by a person as two messages', () => {
    const repetitions = new Repetitions();
    const firstMatch = repetitions.register('OK', connection, 0, makeId);
    const secondMatch = repetitions.register('OK', connection, 100, makeId);
    expect(secondMatch.id).not.toBe(firstMatch.id);
    secondMatch.isStored = true;
    secondMatch.answeredAt = 200;
    expect(repetitions.register('OK', connection, 300, makeId).id).not.toBe(secondMatch.id);
  });

  it('the repetition detector recognizes a repetition after the connection ended before or just after the response', () => {
    const repetitions = new Repetitions();
    const unansweredMatch = repetitions.register('A', connection, 0, makeId);
    const answeredMatch = repetitions.register('B', connection, 0, makeId);
    Object.assign(answeredMatch, { isStored: true, answeredAt: 10 });
    repetitions.handleConnectionEnd(connection, 5_000);
    expect(repetitions.register('A', {}, 60_000, makeId)).toMatchObject({ id: unansweredMatch.id, isStored: false });
    expect(repetitions.register('B', {}, 60_000, makeId)).toMatchObject({ id: answeredMatch.id, isStored: true });
    expect(repetitions.register('B', {}, 60_001, makeId).id).not.toBe(answeredMatch.id);
  });

  it('the repetition detector forgets a delivery that turned out to be a receipt', () => {
    const repetitions = new Repetitions();
    const receipt = repetitions.register('A', connection, 0, makeId);
    repetitions.forget(receipt);
    repetitions.handleConnectionEnd(connection, 10);
    expect(repetitions.register('A', {}, 20, makeId).id).not.toBe(receipt.id);
  });

  it('the repetition detector treats equal text as a new message once a repetition is no longer plausible', () => {
    const repetitions = new Repetitions();
    const firstMatch = repetitions.register('A', connection, 0, makeId);
    Object.assign(firstMatch, { isStored: true, answeredAt: 10 });
    repetitions.handleConnectionEnd(connection, 20_000);
    expect(repetitions.register('A', {}, 21_000, makeId).id).not.toBe(firstMatch.id);
    const thirdMatch = repetitions.register('B', connection, 21_000, makeId);
    repetitions.handleConnectionEnd(connection, 22_000);
    expect(repetitions.register('B', {}, 22_000 + 11 * 60_000, makeId).id).not.toBe(thirdMatch.id);
  });

  it('the repetition detector recognizes a repetition after an error response or an overdue response', () => {
    const repetitions = new Repetitions();
    const failedMatch = repetitions.register('A', connection, 0, makeId);
    failedMatch.answeredAt = 10;
    expect(repetitions.register('A', connection, 1_000, makeId).id).toBe(failedMatch.id);
    const slowMatch = repetitions.register('B', connection, 0, makeId);
    expect(repetitions.register('B', connection, 30_000, makeId).id).toBe(slowMatch.id);
  });
});
