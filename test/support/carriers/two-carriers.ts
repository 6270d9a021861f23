import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../accounts.js';
import { forEachTest } from '../for-suite.js';
import { suiteApp } from '../suite.js';
import type { TestApp } from '../test-app.js';
import { addScriptedCarrier, createScriptedType, type ScriptedCarrier } from './scripted-carrier.js';

/** Creates an account whose SMS go to the first of two new carriers, or to the second if the first fails. */
export async function createAccountOnTwoCarriers(
  { deps }: Pick<TestApp, 'deps'>,
  { opened }: ReturnType<typeof createScriptedType>,
): Promise<{ account: TestAccount; first: ScriptedCarrier; second: ScriptedCarrier }> {
  const account = await createTestAccount(deps);
  const names = [`first-${newId().slice(-8)}`, `second-${newId().slice(-8)}`];
  for (const name of names) await addScriptedCarrier(deps, name);
  await deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: names } });
  await Promise.all([deps.carriers.reload(), deps.routing.reload()]);
  const [first, second] = names.map((name) => opened.get(name)) as [ScriptedCarrier, ScriptedCarrier];
  return { account, first, second };
}

export function suiteOnTwoCarriers() {
  const type = createScriptedType();
  const heliograph = suiteApp({ carrierTypes: [type] });
  const pair = forEachTest(async () => {
    await heliograph.deps.prisma.route.deleteMany({});
    return await createAccountOnTwoCarriers(heliograph, type);
  });
  return { heliograph, type, pair };
}
