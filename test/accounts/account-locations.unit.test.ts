import { describe, expect, it } from 'vitest';
import { AccountLocations } from '../../src/accounts/account-locations.js';

function createAccountRow(places: AccountLocations) {
  let version = 1;
  const lookups: string[] = [];
  return {
    asked: lookups,
    changeElsewhere: () => {
      version++;
    },
    changeHere: () =>
      places.find('an account', async (place) => {
        lookups.push(place ?? 'id');
        const isThere = place === undefined || place === `(${version})`;
        if (isThere) version++;
        return { answer: version, isAtLocation: isThere, location: isThere ? `(${version})` : null };
      }),
  };
}

describe('AccountPlaces', () => {
  it('finds an account by its location, and not by ID, while no other process changes it', async () => {
    const { asked, changeHere: move } = createAccountRow(new AccountLocations());
    for (let turn = 0; turn < 5; turn++) expect(await move()).toBe(turn + 2);
    expect(asked).toEqual(['id', '(2)', '(3)', '(4)', '(5)']);
  });

  it('tries locations less and less often while other processes change the account, and always once they are right again', async () => {
    const { asked, changeHere: move, changeElsewhere: moveByOthers } = createAccountRow(new AccountLocations());
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

  it('remembers no location if no row was changed', async () => {
    const places = new AccountLocations();
    const lookups: (string | undefined)[] = [];
    const find = () =>
      places.find('an account', async (place) => {
        lookups.push(place);
        return { answer: false, isAtLocation: false, location: null };
      });
    expect(await find()).toBe(false);
    expect(await find()).toBe(false);
    expect(lookups).toEqual([undefined, undefined]);
  });
});
