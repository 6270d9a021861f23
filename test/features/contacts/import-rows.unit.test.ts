import { describe, expect, it } from 'vitest';
import { openCsv, readAllRows } from '../../../src/features/contacts/import/job-rows.js';

const readRows = async (csv: string, kind: 'sms' | 'whatsapp' = 'whatsapp', country: string | null = 'DE') =>
  (await readAllRows({ csv }, { kind, country })).map((row) =>
    'reason' in row ? row.reason : { phone: row.phone, name: row.name, email: row.email },
  );
const ada = { phone: '497611234567', name: 'Ada', email: '' };

describe('rows of an imported file', () => {
  it('rows of an imported file may be shorter than the header or have extra empty cells; lines of delimiters are skipped', async () => {
    const csv = 'phone,name,email\n0761 1234567,Ada\n,,\n0761 1234568,Bob,,,\n , ,\n0761 1234569\n';
    expect(await readRows(csv)).toEqual([
      ada,
      { phone: '497611234568', name: 'Bob', email: '' },
      { phone: '497611234569', name: '', email: '' },
    ]);
    expect((await readAllRows({ csv }, { kind: 'sms', country: 'DE' })).map(({ row }) => row)).toEqual([2, 4, 6]);
  });

  it('rows of an imported file are refused with text after the last column, because a delimiter in a cell may have shifted it', async () => {
    expect(await readRows('phone,name\n0761 1234567,Lovelace, Ada\n')).toEqual(['the row has 3 cells, the header 2']);
  });

  it('rows of an imported file are refused with two numbers in a cell', async () => {
    for (const kind of ['sms', 'whatsapp'] as const) {
      expect(await readRows('phone\n0761 1234 / 1235\n', kind)).toEqual([
        'phone contains more than one number: keep one of them',
      ]);
    }
  });
});

describe('columns of an imported file', () => {
  it.each([
    ['phone,First Name,Last name', 'Ada,Lovelace'],
    ['phone,Full Name,Company name', 'Ada Lovelace,Analytical Engines'],
    ['phone,Display_Name,First name', 'Ada Lovelace,Ada'],
    ['phone,Vorname,Nachname', 'Ada,Lovelace'],
  ])('the columns %s are read as the name', async (header, cells) => {
    expect(await readRows(`${header}\n0761 1234567,${cells}\n`)).toEqual([{ ...ada, name: 'Ada Lovelace' }]);
  });

  it('columns of an imported file are listed if they are not imported', async () => {
    const reading = { country: 'DE', kind: 'sms' } as const;
    const { ignoredColumns } = await openCsv('Company, E-Mail ,phone,,Name,Notes\na,b,c,d,e,f\n', undefined, reading);
    expect(ignoredColumns).toEqual(['Company', 'Notes']);
    expect(await readRows('phone,E-Mail\n0761 1234567,ada@example.com\n')).toEqual([
      { ...ada, name: '', email: 'ada@example.com' },
    ]);
  });
});
