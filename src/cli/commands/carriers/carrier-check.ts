import type { Command } from 'commander';
import { pino } from 'pino';
import { readPrivateHosts } from '../../../carriers/http/private-hosts.js';
import { loadCarrierToCheck } from '../../../carriers/setup/carriers.js';
import { checkCarrier } from '../../../carriers/setup/check.js';
import { readEnvironment } from '../../../platform/machine/environment.js';
import { systemClock } from '../../../platform/system-clock.js';
import { type CliContext, getCarrierTypes } from '../../context.js';
import { isJson, print } from '../../output.js';
import { withStore } from '../../store.js';

export function addCarrierCheck(carrier: Command, context: CliContext): void {
  carrier
    .command('check')
    .description('test the connection to a carrier without sending a message')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      // The store is closed before the checks, because they may take long.
      const { row, channels } = await withStore(context, (prisma) => loadCarrierToCheck(prisma, name));
      const json = isJson(command);
      const steps: { what: string; problem: string | null; setting: string | null; isUntried: boolean }[] = [];
      const env = context.env ?? readEnvironment();
      const checkEnvironment = {
        env,
        privateHosts: readPrivateHosts(env),
        log: pino({ level: 'silent' }),
        clock: systemClock,
      };
      const options = { types: getCarrierTypes(context), ...checkEnvironment };
      for await (const step of checkCarrier(row, channels, options)) {
        const { what, problem, isUntried = false } = step;
        steps.push({ what, problem, setting: step.setting ?? null, isUntried });
        if (json) continue;
        const setting = step.setting ? ` (see the setting ${step.setting})` : '';
        const mark = isUntried ? '-' : 'ok';
        context.write(problem ? `FAILED  ${what}: ${problem}${setting}\n` : `${mark.padEnd(8)}${what}\n`);
      }
      const hasFailed = steps.some(({ problem }) => problem !== null);
      if (json) print(context, command, { name, ok: !hasFailed, steps }, '');
      if (hasFailed) command.error(`The carrier ${name} does not work.`, { exitCode: 1 });
      const outcome = steps.some(({ isUntried }) => isUntried)
        ? `The carrier ${name} is reachable, but its credentials were not tested. Send one SMS to test them: carrier try ${name}`
        : `The carrier ${name} works.`;
      if (!json) context.write(`${outcome}\n`);
    });
}
