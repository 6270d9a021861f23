import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Command, CommanderError, Option } from 'commander';
import type pg from 'pg';
import {
  getCountryName,
  INTERNATIONAL,
  isNumbersWithoutPlus,
  type NumbersWithoutPlus,
} from '../../../carriers/numbers/written-numbers.js';
import { requireChannel } from '../../../features/channels/channels.js';
import { FIELD_NAME_LIST } from '../../../features/contacts/contact-fields.js';
import { findCustomColumns } from '../../../features/contacts/custom/columns.js';
import { prepareImport } from '../../../features/contacts/custom/field-columns.js';
import { exportContacts } from '../../../features/contacts/export.js';
import { findOrCreateGroup, requireGroup } from '../../../features/contacts/groups/group-by-name.js';
import { type ImportResult, importContacts } from '../../../features/contacts/import/import.js';
import { NO_ROWS } from '../../../features/contacts/import/import-file.js';
import { detectReading, type Survey, surveyFile } from '../../../features/contacts/import/survey.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { systemClock } from '../../../platform/system-clock.js';
import { ENCODINGS, type Encoding } from '../../../platform/text/csv-text.js';
import { changeInStages } from '../../change.js';
import type { CliContext } from '../../context.js';
import { print } from '../../output.js';
import { ProgressBar } from '../../progress.js';
import { withStore } from '../../store.js';
import { readFieldFlags, toChosenColumns } from './field-flags.js';

const ROWS_REFUSED_EXIT_CODE = 2;

interface ImportFlags {
  channel: string;
  group?: string;
  update?: boolean;
  restart?: boolean;
  delimiter?: string;
  encoding?: Encoding;
  country?: string;
  preview?: boolean;
  tag?: string[];
  field?: string[];
}

export function addContactCommands(program: Command, context: CliContext): void {
  const contacts = program.command('contacts').description('contacts of channels');

  contacts
    .command('import')
    .description(
      'import a CSV file; run the command again to continue an interrupted import. Webhooks are not notified. ' +
        `The exit code is ${ROWS_REFUSED_EXIT_CODE} if rows were rejected; FILE.refused.csv contains them with the reasons`,
    )
    .argument(
      '<file>',
      `CSV file whose first row has the column names: phone, or userId on WhatsApp, and optionally ${FIELD_NAME_LIST}`,
    )
    .requiredOption('--channel <channel-id>', 'the channel that gets the contacts')
    .option('--group <name>', 'add them to this group, which is created if needed')
    .option('--tag <tag...>', 'add these tags to all contacts of the file')
    .option('--field <column=key...>', 'import these columns into contact fields, which are created if needed')
    .option('--update', 'update names, email addresses and fields of existing contacts')
    .option('--restart', 'start over instead of continuing an interrupted import')
    .option(
      '--country <code>',
      'country of numbers without +, as an ISO code such as US; or ' +
        `${INTERNATIONAL} if they begin with the country code`,
    )
    .option('--preview', 'show how rows would be read and which would be rejected, without importing')
    .option('--delimiter <character>', 'cell delimiter; default: detected')
    .addOption(new Option('--encoding <name>', 'character encoding; default: detected').choices([...ENCODINGS]))
    .action(async (path: string, flags: ImportFlags, command: Command) => {
      if (!(await stat(path)).isFile()) throw new Error(`${path} is not a file`);
      const country = readCountry(flags.country);
      const reading = await detectReading(path, flags);
      const result = await withStore(context, async (prisma, pool) => {
        const channel = await requireChannel(prisma, flags.channel);
        const custom = await findCustomColumns(pool, channel.accountId, toChosenColumns(readFieldFlags(flags.field)));
        const { header, ...survey } = await surveyFile(path, { ...reading, country, kind: channel.kind, custom });
        if (survey.rows === 0) throw new Error(`${path}: ${NO_ROWS}`);
        if (survey.withoutPlus > 0 && country === null) throw new Error(explainMissingCountry(survey));
        if (flags.preview) {
          const rows = survey.shown.map((row) => ({ ...row }));
          print(context, command, { ...reading, ...survey, shown: rows }, describeSurvey(survey));
          return null;
        }
        return await runImport(context, { prisma, pool }, path, { ...flags, ...reading, country, channel, header });
      });
      if (!result) return;
      print(context, command, { ...result }, describeResult(result));
      if (result.refused > 0)
        throw new CommanderError(ROWS_REFUSED_EXIT_CODE, 'heliograph.refusedRows', 'rows were rejected');
    });

  contacts
    .command('export')
    .description('print contacts as CSV that can be imported again, oldest first')
    .requiredOption('--channel <channel-id>', 'the channel')
    .option('--group <name>', 'only members of this group')
    .action(async ({ channel, group }: { channel: string; group?: string }) => {
      await withStore(context, async (prisma, pool) => {
        const { id: channelId } = await requireChannel(prisma, channel, { orDeleted: true });
        const groupId = group === undefined ? null : await requireGroup(prisma, channelId, group);
        for await (const part of exportContacts((read) => read({ pool }), { channelId, groupId })) {
          context.write(part);
          await context.waitForOutput?.();
        }
      });
    });
}

async function runImport(
  context: CliContext,
  { prisma, pool }: { prisma: PrismaClient; pool: pg.Pool },
  path: string,
  flags: Omit<ImportFlags, 'country' | 'channel'> & {
    encoding: Encoding;
    delimiter: string;
    country: NumbersWithoutPlus;
    channel: Awaited<ReturnType<typeof requireChannel>>;
    header: readonly string[];
  },
): Promise<ImportResult> {
  const { channel, group, update = false, restart = false, delimiter, encoding, country, header } = flags;
  const file = await stat(path);
  const { accountId, id: channelId, kind } = channel;
  const scope = { accountId, channelId };
  const auditSubject = { accountId, subject: channelId };
  return await changeInStages(
    { prisma },
    {
      begin: async ({ prisma: transaction, client }) => {
        const now = systemClock.now();
        const marks = { tags: flags.tag, fieldColumns: readFieldFlags(flags.field) };
        const { tags, columns } = await prepareImport(client, accountId, marks, { header, at: now });
        const groupId =
          group === undefined ? null : await findOrCreateGroup({ prisma: transaction }, scope, group, now);
        const marked = { ...(tags.length > 0 && { tags }), ...(flags.field && { columns }) };
        const after = { fileName: basename(path), group: group ?? null, update, country, ...marked };
        return { result: { groupId, tags, columns }, audit: { ...auditSubject, action: 'import.start', after } };
      },
      work: async ({ groupId, tags, columns }) => {
        const custom = await findCustomColumns(pool, accountId, columns);
        const bar = new ProgressBar(context, file.size);
        return await importContacts({
          ...scope,
          kind,
          pool,
          clock: systemClock,
          path,
          groupId,
          update,
          restart,
          tags,
          custom,
          delimiter,
          encoding,
          country,
          onProgress: ({ bytesRead, rows, rowsOfRun }) => bar.show(bytesRead, rows, rowsOfRun),
        }).finally(() => bar.end());
      },
      end: ({ refusedPath: _path, ignoredColumns: _ignored, ...after }) => ({
        ...auditSubject,
        action: 'import.end',
        after,
      }),
    },
  );
}

function readCountry(text: string | undefined): NumbersWithoutPlus {
  if (text === undefined) return null;
  const country = [text.toLowerCase(), text.toUpperCase()].find(isNumbersWithoutPlus);
  if (country === undefined)
    throw new Error(`--country must be the ISO code of a country, such as US, or ${INTERNATIONAL}`);
  return country;
}

function explainMissingCountry({ withoutPlus, rows, example }: Omit<Survey, 'header'>): string {
  const count = (number: number) => number.toLocaleString('en-US');
  return (
    `${count(withoutPlus)} of ${count(rows)} numbers have no +, such as ${example}. Specify how to read them: ` +
    `--country US (or another ISO code) for numbers of that country, or --country ${INTERNATIONAL} if they begin with the ` +
    'country code. --preview shows the result. Nothing was imported'
  );
}

function describeIgnored(columns: readonly string[]): string[] {
  return columns.length > 0 ? [`Ignored columns: ${columns.join(', ')}`] : [];
}

function describeSurvey({ rows, refused, ignoredColumns, shown }: Omit<Survey, 'header'>): string {
  const formatNumber = (number: number) => number.toLocaleString('en-US');
  const lines = shown.map(({ row, written, phone, userId, region, reason }) => {
    if (reason !== undefined) return `row ${row} is rejected: ${reason}`;
    const number = phone === undefined ? [] : `${written} is +${phone}${region ? `, ${getCountryName(region)}` : ''}`;
    return `row ${row}: ${[number, userId ?? []].flat().join('; ')}`;
  });
  const totals = `${formatNumber(rows)} rows, ${formatNumber(refused)} of them rejected. Nothing was imported.`;
  return [...lines, ...describeIgnored(ignoredColumns), totals].join('\n');
}

function describeResult(result: ImportResult): string {
  const count = (number: number, singular: string, plural: string) =>
    `${number.toLocaleString('en-US')} ${number === 1 ? singular : plural}`;
  const lines = [
    `${count(result.rows, 'row', 'rows')} read: ${count(result.created, 'contact', 'contacts')} created, ` +
      `${result.updated.toLocaleString('en-US')} updated.`,
  ];
  if (result.resumedAfter > 0)
    lines.unshift(`Continued after ${count(result.resumedAfter, 'row', 'rows')} of the interrupted import.`);
  if (result.present > 0) lines.push(`${count(result.present, 'number', 'numbers')} already existed.`);
  if (result.repeated > 0) {
    lines.push(`${count(result.repeated, 'row repeats', 'rows repeat')} the number of an earlier row.`);
  }
  lines.push(...describeIgnored(result.ignoredColumns));
  if (result.refused > 0) lines.push(`${count(result.refused, 'row was', 'rows were')} rejected.`);
  if (result.refusedPath) lines.push(`The rejected rows are in ${result.refusedPath}, each with its reason.`);
  return lines.join('\n');
}
