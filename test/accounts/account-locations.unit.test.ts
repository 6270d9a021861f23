import { describe, expect, it } from 'vitest';
import { AccountLocations } from '../../src/accounts/account-locations.js';

function createAccountRow(locations: AccountLocations) {
  let version = 1;
  const lookups: string[] = [];
  return {
    lookups,
    changeElsewhere: () => {
      version++;
    },
    changeHere: () =>
      locations.find('an account', async (location) => {
        lookups.push(location ?? 'id');
        const isThere = location === undefined || location === `(${version})`;
        if (isThere) version++;
        return { answer: version, isAtLocation: isThere, location: isThere ? `(${version})` : null };
      }),
  };
}

describe('AccountLocations', () => {
  it('finds an account by its location, and not by ID, while no other process changes it', async () => {
    const { lookups, changeHere } = createAccountRow(new AccountLocations());
    for (let turn = 0; turn < 5; turn++) expect(await changeHere()).toBe(turn + 2);
    expect(lookups).toEqual(['id', '(2)', '(3)', '(4)', '(5)']);
  });

  it('tries locations less and less often while other processes change the account, and always once they are right again', async () => {
    const { lookups, changeHere, changeElsewhere } = createAccountRow(new AccountLocations());
    for (let turn = 0; turn < 400; turn++) {
      await changeHere();
      changeElsewhere();
    }
    expect(lookups).toHaveLength(400 + lookups.filter((lookup) => lookup !== 'id').length);
    expect(lookups.length).toBeLessThan(415);
    for (let turn = 0; turn < 70; turn++) await changeHere();
    lookups.length = 0;
    await changeHere();
    expect(lookups).not.toContain('id');
  });

  it('remembers no location if no row was changed', async () => {
    const locations = new AccountLocations();
    const lookups: (string | undefined)[] = [];
    const find = () =>
      locations.find('an account', async (location) => {
        lookups.push(location);
        return { answer: false, isAtLocation: false, location: null };
      });
    expect(await find()).toBe(false);
    expect(await find()).toBe(false);
    expect(lookups).toEqual([undefined, undefined]);
  });
});
