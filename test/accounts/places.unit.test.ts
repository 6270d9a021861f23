import { describe, expect, it } from 'vitest';
import { AccountPlaces } from '../../src/accounts/places.js';

/** A store with one account, which may be moved by others as well. */
function storeOf(places: AccountPlaces) {
  let version = 1;
  const asked: string[] = [];
  return {
    asked,
    moveByOthers: () => {
      version++;
    },
    move: () =>
      places.find('an account', async (place) => {
        asked.push(place ?? 'id');
        const isThere = place === undefined || place === `(${version})`;
        if (isThere) version++;
        return { answer: version, isThere, place: isThere ? `(${version})` : null };
      }),
  };
}

describe('the places of accounts', () => {
  it('are asked once they are known, and never again by the id while nobody else moves the account', async () => {
    const { asked, move } = storeOf(new AccountPlaces());
    for (let turn = 0; turn < 5; turn++) expect(await move()).toBe(turn + 2);
    expect(asked).toEqual(['id', '(2)', '(3)', '(4)', '(5)']);
  });

  it('are asked more and more seldom where others move the account too, and each time again once they are right', async () => {
    const { asked, move, moveByOthers } = storeOf(new AccountPlaces());
    for (let turn = 0; turn < 400; turn++) {
      await move();
      moveByOthers();
    }
    expect(asked).toHaveLength(400 + asked.filter((each) => each !== 'id').length);
    expect(asked.length).toBeLessThan(415);
    for (let turn = 0; turn < 70; turn++) await move();
    asked.length = 0;
    await move();
    expect(asked).not.toContain('id');
  });

  it('are not learned where nothing was moved', async () => {
    const places = new AccountPlaces();
    const asked: (string | undefined)[] = [];
    const find = () =>
      places.find('an account', async (place) => {
        asked.push(place);
        return { answer: false, isThere: false, place: null };
      });
    expect(await find()).toBe(false);
    expect(await find()).toBe(false);
    expect(asked).toEqual([undefined, undefined]);
  });
});
