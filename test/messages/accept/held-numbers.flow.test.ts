import { expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { readBalance, type TestAccount } from '../../support/accounts.js';
import { createGuardedAccount } from '../../support/guards.js';
import { sendRequest } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });
const WATCH = { watch: { holdMinutes: 20, safe: [] } };
const NUMBER = '40799000001';
const CREDIT = 100_000_000n;
const PART = 10_000n;

async function send(account: TestAccount, to: string) {
  const { spendGuard } = await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
  const request = sendRequest(account, { to });
  return { ...request, account: { ...request.account, spendGuard } };
}

it('a hold on a number refuses only the account that has the hold', async () => {
  const { deps } = heliograph;
  const [heldAccount, free] = [await createGuardedAccount(deps, WATCH), await createGuardedAccount(deps, WATCH)];
  const heldAt = deps.clock.now();
  const heldUntil = new Date(heldAt.getTime() + 3_600_000);
  const hold = {
    id: newId(),
    accountId: heldAccount.id,
    prefix: '4079900',
    reason: 'receipts',
    messages: 20,
    heldAt,
    until: heldUntil,
  };
  await deps.prisma.spendHold.create({ data: hold });
  const requests = [await send(heldAccount, NUMBER), await send(free, NUMBER), await send(heldAccount, '40711000001')];
  const outcomes = await Promise.allSettled(requests.map((request) => deps.acceptor.accept(request)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(outcomes[0]).toMatchObject({ reason: { code: 'SENDING_HELD' } });
  expect(await readBalance(deps, heldAccount.id)).toBe(CREDIT - PART);
  expect(await readBalance(deps, free.id)).toBe(CREDIT - PART);
});
