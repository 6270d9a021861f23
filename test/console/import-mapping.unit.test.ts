import { describe, expect, it } from 'vitest';
import { guessMapping, mapRows } from '../../console/src/pages/imports/mapping.js';

/** Returns the column heading that is guessed for each field. */
const guess = (header: string[], isWhatsapp = true) =>
  Object.fromEntries(
    Object.entries(guessMapping(header, { isWhatsapp })).flatMap(([field, column]) =>
      column === null ? [] : [[field, header[column]]],
    ),
  );

describe('column mapping of imports', () => {
  it.each([
    [['Name', 'Phone', 'Email'], { name: 'Name', phone: 'Phone', email: 'Email' }],
    [['Company name', 'Contact name', 'Mobile phone'], { name: 'Contact name', phone: 'Mobile phone' }],
    [['Customer number', 'Handynummer', 'Nachname'], { phone: 'Handynummer', lastName: 'Nachname' }],
    [['First name', 'Last name', 'Fax', 'Tel.'], { firstName: 'First name', lastName: 'Last name', phone: 'Tel.' }],
    [['Username', 'whatsapp_user_id', 'WhatsApp'], { userId: 'whatsapp_user_id', phone: 'WhatsApp' }],
    [['Mailing city', 'E-Mail Address', 'Number'], { email: 'E-Mail Address', phone: 'Number' }],
    [['Order number', 'Hotel'], {}],
    [['phone', 'name', 'Company name'], { phone: 'phone', name: 'name' }],
  ])('the columns %j are mapped as %j', (header, expected) => {
    expect(guess(header)).toEqual(expected);
  });

  it('first name and last name columns are combined into the name', () => {
    const file = { source: new File([], 'x'), name: 'x', encoding: 'utf-8', delimiter: ',' } as const;
    const header = ['Phone', 'Vorname', 'Nachname'];
    const rows = [
      { row: 2, cells: ['+14155552671', 'Ada', 'Lovelace'] },
      { row: 3, cells: ['+14155552672', '', 'Hopper'] },
    ];
    const contacts = mapRows({ ...file, header, rows }, guessMapping(header, { isWhatsapp: false }));
    expect(contacts.map(({ name }) => name)).toEqual(['Ada Lovelace', 'Hopper']);
  });
});
