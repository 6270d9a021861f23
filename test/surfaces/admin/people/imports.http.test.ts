import { describe, expect, it } from 'vitest';
import { erasePerson } from '../../../../src/features/erasure/erase.js';
import { newId } from '../../../../src/platform/ids.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { createTestOperator } from '../../../support/operators.js';
import { sharedApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

const heliograph = sharedApp();
const fixture = forEachTest(async () => {
  const channel = await createTestChannel(heliograph.deps);
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
  return { channel, operator, base: `/accounts/${channel.account.id}/channels/${channel.channelId}` };
});

const request = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
  const response = await fixture.operator.ask(method, fixture.base + path, body);
  return { status: response.statusCode, ...response.json() };
};
const putSlice = (id: string, position: number, rows: object[]) =>
  request('PUT', `/imports/${id}/slices/${position}`, { rows, country: 'international' });

describe('/admin/v1/accounts/:accountId/channels/:channelId/imports', () => {
  it('erases people from the stored refused rows, whatever characters the rows contain', async () => {
    const { data } = await request('POST', '/imports', { fileName: 'odd.csv', update: false, slices: 1, totalRows: 2 });
    const rows = [
      { row: 2, phone: '15005550171', name: 'A\0b' },
      { row: 3, phone: '1500555', name: 'half \uD83D', cells: ['1500555', 'half \uD83D'] },
    ];
    await putSlice(data.id, 0, rows);
    await waitFor('the import to end', async () => (await request('GET', `/imports/${data.id}`)).data.completedAt);
    const person = { address: '15005550171', accountId: fixture.channel.account.id };
    await erasePerson({ ...heliograph.deps }, person, { waitMs: 0 });
    // Simulates a failed import, whose slices still contain the uploaded rows.
    await heliograph.deps.pool.query('UPDATE contact_import_slices SET input = $2 WHERE job_id = $1', [
      data.id,
      JSON.stringify([{ row: 2, phone: '15005550171', name: 'A\0b \uD83D' }]),
    ]);
    await erasePerson({ ...heliograph.deps }, person, { waitMs: 0 });
    const { rows: remainingSlices } = await heliograph.deps.pool.query(
      'SELECT input FROM contact_import_slices WHERE job_id = $1',
      [data.id],
    );
    expect(remainingSlices[0].input).not.toContain('15005550171');
  });

  it('ignores user IDs on an SMS channel, even repeated ones', async () => {
    const smsChannel = await createTestChannel(heliograph.deps, fixture.channel.account, { kind: 'sms' });
    const importsPath = `/accounts/${fixture.channel.account.id}/channels/${smsChannel.channelId}/imports`;
    const { data } = (
      await fixture.operator.ask('POST', importsPath, { fileName: 'sms.csv', update: false, slices: 1, totalRows: 2 })
    ).json();
    const rows = ['15005550172', '15005550173'].map((phone, index) => ({
      row: index + 2,
      phone,
      userId: 'US.1234567',
    }));
    await fixture.operator.ask('PUT', `${importsPath}/${data.id}/slices/0`, { rows, country: 'international' });
    const finishedImport = await waitFor('the import to end', async () => {
      const { data: now } = (await fixture.operator.ask('GET', `${importsPath}/${data.id}`)).json();
      return now.completedAt && now;
    });
    expect(finishedImport).toMatchObject({ created: 2, refused: 0 });
  });

  it('accepts slices in any order, imports them once all have arrived, and reports every refused row', async () => {
    const group = (await request('POST', '/groups', { name: 'All' })).data;
    await request('POST', '/contacts', { phone: '15005550101', name: 'Ada' });
    const newImport = { fileName: 'people.csv', groupId: group.id, update: true, slices: 2, totalRows: 7 };
    const { data } = await request('POST', '/imports', newImport);
    expect(data).toMatchObject({
      status: 'receiving',
      fileName: 'people.csv',
      totalRows: 7,
      rows: 0,
      groupId: group.id,
    });
    const lastRows = [
      { row: 6, phone: '15005550102', name: 'Bob again' },
      { row: 7, phone: '15005550104', name: 'A\0b' },
      { row: 9, phone: '15005550105', email: 'eve@example.com' },
    ];
    expect((await putSlice(data.id, 1, lastRows)).data.status).toBe('receiving');
    expect((await putSlice(data.id, 1, [{ row: 99, phone: '15005550999' }])).data.status).toBe('receiving');
    const firstRows = [
      { row: 2, phone: '+15005550101', name: 'Ada King' },
      { row: 3, phone: '15005550102', name: 'Bob' },
      { row: 4, name: 'Nobody' },
      { row: 5, phone: '15005550102', name: '=1+1' },
    ];
    await putSlice(data.id, 0, firstRows);
    const finishedImport = await waitFor('the import to end', async () => {
      const { data: now } = await request('GET', `/imports/${data.id}`);
      return now.completedAt ? now : undefined;
    });
    expect(finishedImport).toMatchObject({
      ...{ status: 'completed', totalRows: 7, rows: 7, created: 2, updated: 1, unchanged: 0, refused: 4 },
      errorMessage: null,
    });
    const refusedRowsResponse = await fixture.operator.ask('GET', `${fixture.base}/imports/${data.id}/refused`);
    expect(refusedRowsResponse.body.split('\r\n')).toEqual([
      '\uFEFFrow,reason,phone,name,email',
      '4,phone is required,,Nobody,',
      "5,phone 15005550102 is in an earlier row,15005550102,'=1+1,",
      '6,phone 15005550102 is in an earlier row,15005550102,Bob again,',
      '7,the row contains NUL or undecodable characters,15005550104,A\0b,',
      '',
    ]);
    const contacts = (await request('GET', `/contacts?groupId=${group.id}`)).data;
    expect(contacts.map(({ name }: { name: string }) => name).sort()).toEqual(['', 'Ada King', 'Bob']);
    expect((await request('GET', '/imports')).data).toEqual([finishedImport]);
    const { count } = await heliograph.deps.prisma.contactImportSlice.deleteMany({
      where: { jobId: data.id, input: '' },
    });
    expect(count).toBe(0);
  });

  it('returns refused rows with their original columns, and adds the reason only once to a repeated file', async () => {
    const importFile = async (columns: string[], cells: string[][], phoneColumn: number) => {
      const newImport = { slices: 1, totalRows: cells.length, columns, delimiter: ';' };
      const { id } = (await request('POST', '/imports', newImport)).data;
      await putSlice(
        id,
        0,
        cells.map((rowCells, index) => ({ row: index + 2, phone: rowCells[phoneColumn]?.trim(), cells: rowCells })),
      );
      await waitFor(
        'the import to end',
        async () => (await request('GET', `/imports/${id}`)).data.completedAt || undefined,
      );
      return (await fixture.operator.ask('GET', `${fixture.base}/imports/${id}/refused`)).body.split('\r\n');
    };
    const rows = [
      ['7', ' 12 ', 'Grün', 'a;b', '=1+1', 'A\0b'],
      ['8', '15005550102', 'Bob', '', '', ''],
      ['9', '13'],
    ];
    const columns = ['No', 'Mobil', 'Straße', 'Note', 'Sum', 'Odd'];
    const readReason = (row: string[]) => row[1];
    const refusedLines = await importFile(columns, rows, 1);
    const refusedCells = refusedLines.map((line) => line.split(';'));
    expect(refusedLines[0]).toBe('\uFEFFrow;reason;No;Mobil;Straße;Note;Sum;Odd');
    expect(refusedLines[1]).toBe(`2;${readReason(refusedCells[1] ?? [])};7;" 12 ";Grün;"a;b";'=1+1;A\uFFFDb`);
    expect(refusedLines[2]).toBe(`4;${readReason(refusedCells[2] ?? [])};9;13`);
    expect(refusedLines).toHaveLength(4);
    const repeatedLines = await importFile(['row', 'reason', ...columns], [['2', 'too short', ...(rows[0] ?? [])]], 3);
    expect(repeatedLines[0]).toBe(refusedLines[0]);
    expect(repeatedLines[1]).toBe(refusedLines[1]);
  });

  it('returns refused rows of CSV and lists that were imported through the API', async () => {
    const importByApi = async (body: object) => {
      const { headers } = fixture.channel;
      const url = '/api/v1/contacts/imports';
      const { id } = (await heliograph.app.inject({ method: 'POST', url, headers, payload: body })).json().data;
      const finishedImport = await waitFor('the import to end', async () => {
        const { data } = (await heliograph.app.inject({ url: `${url}/${id}`, headers })).json();
        return data.completedAt ? data : undefined;
      });
      expect(Object.keys(finishedImport.refusedRows[0])).toEqual(['row', 'phone', 'reason']);
      return (await fixture.operator.ask('GET', `${fixture.base}/imports/${id}/refused`)).body.split('\r\n');
    };
    const csv = 'town;phone;note\r\nBath;12;"x;y"\r\n';
    for (const country of [undefined, 'international']) {
      const [header = '', line = ''] = await importByApi({ csv, country });
      expect(header).toBe(`\uFEFF${['row', 'reason', 'town', 'phone', 'note'].join(country ? ',' : ';')}`);
      expect(line).toMatch(/^2[;,].*[;,]Bath[;,]12[;,]"x;y"$/);
    }
    const [header, line] = await importByApi({ contacts: [{ phone: '12', name: 'Ada', email: 'ada@example.com' }] });
    expect(header).toBe('\uFEFFrow,reason,phone,name,email');
    expect(line).toMatch(/^1,.*,12,Ada,ada@example\.com$/);
  });

  it('discards an incomplete import, but not one that has started', async () => {
    const { id } = (await request('POST', '/imports', { slices: 2, totalRows: 2 })).data;
    await putSlice(id, 0, [{ row: 2, phone: '15005550101' }]);
    expect((await request('DELETE', `/imports/${id}`)).data).toEqual({ done: true });
    expect((await request('GET', `/imports/${id}`)).status).toBe(404);
    const startedId = (await request('POST', '/imports', { slices: 1, totalRows: 1 })).data.id;
    await putSlice(startedId, 0, [{ row: 2, phone: '15005550101' }]);
    expect((await request('DELETE', `/imports/${startedId}`)).status).toBe(409);
  });

  it.each([
    ['slices', { slices: 0, totalRows: 1 }],
    ['totalRows', { slices: 1 }],
    ['groupId', { slices: 1, totalRows: 1, groupId: 'All' }],
    ['columns', { slices: 1, totalRows: 1, columns: 'phone' }],
    ['delimiter', { slices: 1, totalRows: 1, delimiter: 'x' }],
  ])('returns 400 naming %s for %j', async (field, body) => {
    const response = await request('POST', '/imports', body);
    expect(response).toMatchObject({ status: 400, error: { details: [{ field }] } });
  });

  it('refuses a slice with an unknown position, and one that is not a list of rows', async () => {
    const { id } = (await request('POST', '/imports', { slices: 1, totalRows: 1 })).data;
    expect(await putSlice(id, 1, [{ row: 2, phone: '1' }])).toMatchObject({
      status: 400,
      error: { details: [{ field: 'position' }] },
    });
    expect((await putSlice(id, 0, [])).status).toBe(400);
    expect((await putSlice(id, 0, [{ phone: '15005550101' }])).status).toBe(400);
    expect((await putSlice(newId(), 0, [{ row: 2, phone: '1' }])).status).toBe(404);
    expect((await request('POST', '/imports', { slices: 1, totalRows: 1, groupId: newId() })).status).toBe(404);
  });
});
