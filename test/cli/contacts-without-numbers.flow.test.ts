import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { buildExportedCsv } from '../support/exported-contacts.js';
import { importFileForEachTest } from './import-file.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore();
const people = importFileForEachTest(commands);

async function importText(text: string) {
  await writeFile(people.file, text);
  const flags = ['--channel', people.channel.channelId, '--country', 'international'];
  const { code, stdout } = await commands.cli('--json', 'contacts', 'import', people.file, ...flags);
  return { code, result: JSON.parse(stdout) };
}

it('contacts import accepts WhatsApp user IDs with or without numbers, and its own file of rejected rows', async () => {
  const rows = ['userId,phone,name', 'US.1,,Ada', 'US.2,15005550102,Bob', 'us.3,,Cy', 'US.1,15005550104,', ',,Dee'];
  const { code, result } = await importText(rows.join('\n'));
  expect([code, result]).toEqual([2, expect.objectContaining({ rows: 5, created: 2, repeated: 1, refused: 2 })]);
  expect((await readFile(`${people.file}.refused.csv`, 'utf8')).split('\r\n')).toEqual([
    '\uFEFFrow,reason,userId,phone,name',
    expect.stringMatching(/^4,"userId must be a WhatsApp user ID.*",us\.3,,Cy$/),
    '5,phone 15005550104 or userId US.1 is in an earlier row,US.1,15005550104,',
    '6,phone is required,,,Dee',
    '',
  ]);
  const { stdout } = await commands.cli(
    'contacts',
    'import',
    people.file,
    '--channel',
    people.channel.channelId,
    '--preview',
    '--country',
    'international',
  );
  expect(stdout).toContain('row 2: US.1');
  const { stdout: exported } = await commands.cli('contacts', 'export', '--channel', people.channel.channelId);
  const exportedRows = [
    { name: 'Ada', userId: 'US.1' },
    { phone: '+15005550102', name: 'Bob', userId: 'US.2' },
  ];
  expect(exported).toBe(buildExportedCsv(exportedRows, { withIds: true }));
  const secondImport = await importText(exported);
  expect([secondImport.code, secondImport.result]).toEqual([
    0,
    expect.objectContaining({ created: 0, present: 2, refused: 0 }),
  ]);
  const corrected = (await importText(`row,reason,${rows[0]}\n4,x,US.3,,Cy\n`)).result;
  expect(corrected).toMatchObject({ created: 1, refused: 0 });
});
