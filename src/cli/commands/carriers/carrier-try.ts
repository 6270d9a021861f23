import type { Command } from 'commander';
import { pino } from 'pino';
import { readPrivateHosts } from '../../../carriers/http/private-hosts.js';
import type { RedactedCall } from '../../../carriers/http/redacted-call.js';
import type { SettingValues } from '../../../carriers/settings.js';
import { findHelp, listEntries, toCarrierView } from '../../../carriers/setup/carrier-view.js';
import { requireCarrier } from '../../../carriers/setup/carriers.js';
import { buildTryAuditEntry, requireTriable, tryCarrier } from '../../../carriers/setup/try.js';
import { readEnvironment } from '../../../platform/machine/environment.js';
import { systemClock } from '../../../platform/system-clock.js';
import { withChange } from '../../change.js';
import { type CliContext, getCarrierTypes } from '../../context.js';
import { type Json, print } from '../../output.js';
import { withStore } from '../../store.js';

export function addCarrierTry(carrier: Command, context: CliContext): void {
  const types = getCarrierTypes(context);
  carrier
    .command('try')
    .description('send one real SMS through an HTTP carrier; no account is charged, but the vendor charges you')
    .argument('<name>')
    .requiredOption('--to <number>', 'digits with country code')
    .requiredOption('--from <sender>', 'a sender ID that the vendor allows')
    .option('--text <text>', 'text of the message', 'A test message from Heliograph.')
    .action(async (name: string, message: { to: string; from: string; text: string }, command: Command) => {
      // The audit log entry is written before the message is sent, so that no message is sent without an entry.
      const row = await withChange(
        context,
        async (prisma) => {
          const carrierRow = await requireCarrier(prisma, name);
          requireTriable(carrierRow, message, types);
          return { ...carrierRow, settings: carrierRow.settings as SettingValues };
        },
        () => buildTryAuditEntry(name, message),
      );
      const env = context.env ?? readEnvironment();
      const options = {
        types,
        env,
        privateHosts: readPrivateHosts(env),
        log: pino({ level: 'silent' }),
        clock: systemClock,
      };
      const { ok, carrierMessageId, error, calls } = await tryCarrier(row, message, options);
      const outcome = error ? `FAILED  ${error.code}: ${error.message}` : `ok      accepted as ${carrierMessageId}`;
      const lines = [...calls.map(formatCall), outcome];
      print(context, command, { name, ok, carrierMessageId, error, calls } as unknown as Json, lines.join('\n'));
      if (!ok) command.error(`The carrier ${name} did not accept the message.`, { exitCode: 1 });
    });
}

export function addCarrierShow(carrier: Command, context: CliContext): void {
  const types = getCarrierTypes(context);
  carrier
    .command('show')
    .description('show the settings of a carrier without secrets, and what to set up at the vendor')
    .argument('<name>')
    .action(async (name: string, _options: object, command: Command) => {
      const row = await withStore(context, (prisma) => requireCarrier(prisma, name));
      const settings = toCarrierView(row, types);
      const entries = listEntries(row, types);
      const help = findHelp(row, types);
      const lines = [
        `${settings.name}: ${settings.type}, ${settings.isActive ? 'on' : 'off'}`,
        ...Object.entries(settings.settings).map(
          ([setting, value]) => `  ${setting}  ${typeof value === 'string' ? value : JSON.stringify(value)}`,
        ),
        ...entries.map(({ what, value }) => `${what}: ${value}`),
        ...(help === null ? [] : [help]),
      ];
      print(context, command, { ...settings, entries, help } as unknown as Json, lines.join('\n'));
    });
}

function formatCall({ method, url, request, status, answer, failure, milliseconds }: RedactedCall): string {
  const lines = [`${method} ${url}  ${status ?? failure} in ${milliseconds} ms`];
  if (request !== null) lines.push(`  > ${toSingleLine(request)}`);
  if (answer) lines.push(`  < ${toSingleLine(answer)}`);
  return lines.join('\n');
}

function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
