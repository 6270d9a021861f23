import { Type } from '@sinclair/typebox';
import { KEPT_REFUSALS } from '../../../features/contacts/import/importer.js';
import type { ImportInput, ListedContact } from '../../../features/contacts/import/job-rows.js';
import type { ShownRefusal } from '../../../features/contacts/import/job-store.js';
import {
  type ImportJob,
  ImportStatus,
  MAX_WAITING_IMPORTS,
  readImportJob,
  startImport,
} from '../../../features/contacts/import/jobs.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { BodyId, bodyId, found, OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, iso, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { ok } from '../answers.js';
import { scopeOf } from '../channel-auth.js';
import { type Endpoints, endpoint } from '../endpoint.js';

const MAX_CONTACTS = 25_000;
const DELIMITERS = [',', ';', '\t', '|'] as const;
const DEFAULT_DELIMITER = ',';

const LISTED_RULE = 'must be an object with the text phone, and perhaps the texts name and email';

const ListedContactSchema = Type.Unsafe<ListedContact>(
  Type.Object(
    {
      phone: Type.Optional(Type.String({ description: 'A row without it is refused.' })),
      name: Type.Optional(Type.String()),
      email: Type.Optional(Type.String()),
    },
    { [RULE]: LISTED_RULE },
  ),
);

const ImportBody = Type.Object(
  {
    contacts: Type.Optional(
      Type.Array(ListedContactSchema, {
        minItems: 1,
        maxItems: MAX_CONTACTS,
        description: 'The contacts. Either these or `csv`.',
        [RULE]: `must be a list of 1 to ${MAX_CONTACTS} objects with the text phone, and perhaps the texts name and email`,
      }),
    ),
    csv: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The contacts as CSV. Its first row names the columns: `phone`, and perhaps `name` and `email`; others are ignored.',
        [RULE]: 'must be a text that is not empty',
      }),
    ),
    delimiter: Type.Optional(
      Type.Unsafe<(typeof DELIMITERS)[number]>({
        type: 'string',
        enum: [...DELIMITERS],
        default: DEFAULT_DELIMITER,
        description: 'Between the cells of `csv`.',
        [RULE]: 'must be a comma, a semicolon, a tab or a vertical bar',
      }),
    ),
    groupId: Type.Optional({
      ...BodyId,
      description: 'All contacts of the import become members of it, those that the channel had included.',
    }),
    update: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether names and e-mail addresses of contacts that the channel has are replaced; empty ones change nothing.',
        [RULE]: 'must be true or false',
      }),
    ),
  },
  {
    [NULL_IS_ABSENT]: true,
    examples: [
      { contacts: [{ phone: '15005550111', name: 'Ada Lovelace', email: 'ada@example.com' }] },
      { csv: 'phone,name\n15005550111,Ada Lovelace\n', update: true },
    ],
  },
);

const Count = (description: string) => Type.Integer({ description });

const ImportData = Type.Object({
  id: Id,
  status: Type.Enum(ImportStatus, { examples: ['completed'] }),
  groupId: Type.Union([Id, Type.Null()]),
  update: Type.Boolean(),
  totalRows: Type.Union([Type.Integer(), Type.Null()], { description: 'Null until the input was read.' }),
  rows: Count('Rows that are done; each is counted in one of the following.'),
  created: Count('New contacts.'),
  updated: Count('Contacts of the channel that were changed.'),
  unchanged: Count('Contacts of the channel that were left as they are.'),
  refused: Count('Rows that cannot be imported, and those whose number stands in an earlier row.'),
  refusedRows: Type.Array(
    Type.Object({
      row: Type.Integer({
        description:
          'Of `csv` as a spreadsheet counts: its first line is 1, and empty lines count. Of `contacts` from 1.',
      }),
      phone: Type.Union([Type.String(), Type.Null()], { description: 'As it was given; null where the row has none.' }),
      reason: Type.String(),
    }),
    { description: `The first ${KEPT_REFUSALS}.` },
  ),
  errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why it is `failed`.' }),
  createdAt: Timestamp,
  completedAt: NullableTimestamp,
});

export type ImportOptions = OptionsOf<typeof startImport | typeof readImportJob>;

const read = endpoint('Contacts', 'contacts:read');
const write = endpoint('Contacts', 'contacts:write');

export const importEndpoints: Endpoints<ImportOptions> = async (app, options) => {
  app.post(
    '/contacts/imports',
    write({
      operationId: 'importContacts',
      summary: 'Import contacts',
      description:
        'Makes many contacts in the background, some thousand in a second; ask for its progress by its id, for 30 days. A ' +
        'bad row is refused alone, with its reason: one without a phone, say, or with NUL characters. What was not done when a server died goes on. No events are sent. A ' +
        `channel has at most ${MAX_WAITING_IMPORTS} imports that are not done; beyond that it is 409.`,
      body: ImportBody,
      data: ImportData,
      errors: [404, 409],
      checksTexts: true,
    }),
    async ({ body, caller }) => {
      const { contacts, csv, delimiter = DEFAULT_DELIMITER, groupId, update = false } = body;
      const request = {
        input: inputOf(contacts, csv, delimiter),
        groupId: groupId === undefined ? null : bodyId(groupId, 'groupId'),
        update,
      };
      return ok(importRecord(await startImport(options, scopeOf(caller), request)));
    },
  );

  app.get(
    '/contacts/imports/:id',
    read({
      operationId: 'getImport',
      summary: 'Ask how far an import of contacts is',
      params: OnePath,
      data: ImportData,
    }),
    async ({ params, caller }) =>
      ok(importRecord(found(await readImportJob(options, scopeOf(caller), pathId(params.id, 'import')), 'import'))),
  );
};

function inputOf(contacts: ListedContact[] | undefined, csv: string | undefined, delimiter: string): ImportInput {
  if (contacts !== undefined && csv !== undefined) throw invalidField('csv', 'must not be sent together with contacts');
  if (contacts !== undefined) return { contacts: contacts.map(({ phone, name, email }) => ({ phone, name, email })) };
  if (csv === undefined) throw invalidField('contacts', 'is required unless csv is there');
  return { csv, delimiter };
}

function importRecord(job: ImportJob) {
  const { id, status, groupId, update, totalRows, rows, created, updated, present, refused, errorMessage } = job;
  return {
    id,
    status,
    groupId,
    update,
    totalRows,
    rows,
    created,
    updated,
    unchanged: present,
    refused,
    refusedRows: job.refusedRows as unknown as ShownRefusal[],
    errorMessage,
    createdAt: job.createdAt.toISOString(),
    completedAt: iso(job.completedAt),
  };
}
