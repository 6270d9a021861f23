import { addCarrier } from '../../../src/carriers/setup/carriers.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import type { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import type { TestApp } from '../../support/test-app.js';
import { PHONE_NUMBER_ID } from './carrier.js';

export const CARRIER = 'meta';

/** Sets up a carrier that sends by the stub, and a channel of its, as an operator does. */
export async function createMetaChannel(
  heliograph: TestApp,
  stub: CloudApi,
  {
    phoneNumberId = PHONE_NUMBER_ID,
    account,
    ...settings
  }: {
    phoneNumberId?: string;
    account?: TestAccount;
    timeoutMs?: number;
    ratePerSecond?: number;
  } = {},
): Promise<TestChannel> {
  const { deps } = heliograph;
  const known = await deps.prisma.carrier.findUnique({ where: { name: CARRIER } });
  if (!known) {
    const type = 'whatsapp-cloud';
    await addCarrier(deps.prisma, { name: CARRIER, type, settings: { ...stub.settings, ...settings } });
    await deps.carriers.reload();
  }
  const owner = account ?? (await createTestAccount(deps));
  return createTestChannel(deps, owner, { carrier: CARRIER, carrierSettings: { phoneNumberId } });
}
