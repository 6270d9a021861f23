import { type Static, Type } from '@sinclair/typebox';
import { LISTED_FIELD_NAMES, mapFields, pickFields } from '../../../features/contacts/contact-fields.js';
import { ignoredColumns } from '../../../features/contacts/import/columns.js';
import { MAX_STORED_REFUSALS } from '../../../features/contacts/import/importer.js';
import type { ListedContact } from '../../../features/contacts/import/job-rows.js';
import type { ShownRefusal } from '../../../features/contacts/import/job-store.js';
import {
  type ImportJob,
  type ImportRequest,
  ImportStatus,
  MAX_WAITING_IMPORTS,
  readImportJob,
  startImport,
} from '../../../features/contacts/import/jobs.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { decodeText, ENCODINGS, type Encoding, EncodingDetector } from '../../../platform/text/csv-text.js';
import { BodyId, bodyId, found, OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { NumbersCountry } from '../../http/schemas/phones.js';
import { Id, iso, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { fileDelimiter } from '../../resources/people/contacts.js';
import { ok } from '../answers.js';
import { CONTACTS, type Endpoints } from '../endpoint.js';

const MAX_CONTACTS = 25_000;

const LISTED_RULE = `must be an object with the text phone or userId or both, and perhaps the texts ${LISTED_FIELD_NAMES}`;

const ListedContactSchema = Type.Unsafe<ListedContact>(
  Type.Object(
    {
      phone: Type.Optional(
        Type.String({
          description:
            'Digits with country code, or any usual form with a plus sign; with `country` also as it is written there. A row with neither it nor `userId` is refused.',
        }),
      ),
      userId: Type.Optional(
        Type.String({
          description: "WhatsApp's id of the person to this business. A channel that sends SMS takes no notice of it.",
        }),
      ),
      ...mapFields(() => Type.Optional(Type.String())),
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
        [RULE]: `must be a list of 1 to ${MAX_CONTACTS} objects with the text phone or userId or both, and perhaps the texts ${LISTED_FIELD_NAMES}`,
      }),
    ),
    csv: Type.Optional(
      Type.String({
        minLength: 1,
        description: `The contacts as CSV. Its first row names the columns: \`phone\`, \`userId\` or both, and perhaps ${LISTED_FIELD_NAMES}. The name may be in the columns \`first name\` and \`last name\`. Other columns are not imported; \`ignoredColumns\` lists them.`,
        [RULE]: 'must be a text that is not empty',
      }),
    ),
    csvBase64: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: '^[A-Za-z0-9+/]*={0,2}$',
        description: 'The bytes of a file of CSV as it is, in any of the encodings; instead of `csv`.',
        [RULE]: 'must be the bytes of a file that is not empty, in base64',
      }),
    ),
    encoding: Type.Optional(
      Type.Unsafe<Encoding>({
        type: 'string',
        enum: [...ENCODINGS],
        description: 'Of `csvBase64`. Found out unless told.',
        [RULE]: `must be one of ${ENCODINGS.join(', ')}`,
      }),
    ),
    country: Type.Optional(NumbersCountry),
    delimiter: Type.Optional(
      fileDelimiter('Between the cells of the CSV. Found out unless told, by a first line `sep=;` too.'),
    ),
    groupId: Type.Optional({
      ...BodyId,
      description: 'All contacts of the import become members of it, those that the channel had included.',
    }),
    update: Type.Optional(
      Type.Boolean({
        default: false,
        description: `Whether ${LISTED_FIELD_NAMES} of contacts that the channel has are replaced; empty values change nothing.`,
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
  refused: Count('Rows that cannot be imported, and those whose number or user id is in an earlier row.'),
  refusedRows: Type.Array(
    Type.Object({
      row: Type.Integer({
        description:
          'Of `csv` as a spreadsheet counts: its first line is 1, and empty lines count. Of `contacts` from 1.',
      }),
      phone: Type.Union([Type.String(), Type.Null()], { description: 'As it was given; null where the row has none.' }),
      reason: Type.String(),
    }),
    { description: `The first ${MAX_STORED_REFUSALS}.` },
  ),
  ignoredColumns: Type.Array(Type.String(), {
    description: 'Headings of the CSV whose columns are not imported.',
  }),
  errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why it is `failed`.' }),
  createdAt: Timestamp,
  completedAt: NullableTimestamp,
});

export type ImportOptions = OptionsOf<typeof startImport | typeof readImportJob>;

export const importEndpoints: Endpoints<ImportOptions> = async (app, options) => {
  app.post(
    '/contacts/imports',
    CONTACTS.write({
      operationId: 'importContacts',
      summary: 'Import contacts',
      description:
        'Makes many contacts in the background, some thousand in a second; ask for its progress by its id, for 30 days. A ' +
        'bad row is refused alone, with its reason: one without phone and userId, say, or with NUL characters. What was not done when a server died goes on. No events are sent. A ' +
        `channel has at most ${MAX_WAITING_IMPORTS} imports that are not done; beyond that it is 409.`,
      body: ImportBody,
      data: ImportData,
      errors: [404, 409],
      checksTexts: true,
    }),
    async ({ body, caller }) => {
      const { country = null, groupId, update = false } = body;
      const request = {
        input: inputOf(body),
        country,
        kind: caller.channel.kind,
        groupId: groupId === undefined ? null : bodyId(groupId, 'groupId'),
        update,
      };
      return ok(importRecord(await startImport(options, scopeOf(caller), request)));
    },
  );

  app.get(
    '/contacts/imports/:id',
    CONTACTS.read({
      operationId: 'getImport',
      summary: 'Ask how far an import of contacts is',
      params: OnePath,
      data: ImportData,
    }),
    async ({ params, caller }) =>
      ok(importRecord(found(await readImportJob(options, scopeOf(caller), pathId(params.id, 'import')), 'import'))),
  );
};

/** Of the three ways in which contacts may come, the one that the request has. */
function inputOf({ contacts, csv, csvBase64, encoding, delimiter }: Static<typeof ImportBody>): ImportRequest['input'] {
  const given = Object.entries({ contacts, csv, csvBase64 }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  const [first, second] = given;
  if (first === undefined) throw invalidField('contacts', 'is required unless csv or csvBase64 is there');
  if (second !== undefined) throw invalidField(second, `must not be sent together with ${first}`);
  if (contacts !== undefined)
    return { contacts: contacts.map((each) => ({ phone: each.phone, userId: each.userId, ...pickFields(each) })) };
  if (csv !== undefined) return { csv, delimiter };
  const bytes = Buffer.from(csvBase64 ?? '', 'base64');
  return { csv: decodeText(encoding ?? encodingOf(bytes), bytes), delimiter };
}

function encodingOf(bytes: Uint8Array): Encoding {
  const detector = new EncodingDetector();
  detector.write(bytes);
  return detector.end();
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
    refusedRows: (job.refusedRows as unknown as ShownRefusal[]).map(({ row, phone, reason }) => ({
      row,
      phone,
      reason,
    })),
    // The console maps the columns of a file itself, and sends it in slices.
    ignoredColumns: job.slices === null ? ignoredColumns(job.columns) : [],
    errorMessage,
    createdAt: job.createdAt.toISOString(),
    completedAt: iso(job.completedAt),
  };
}
