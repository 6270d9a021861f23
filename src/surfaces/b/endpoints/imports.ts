import { type Static, Type } from '@sinclair/typebox';
import { FIELD_NAME_LIST, mapFields, pickFields } from '../../../features/contacts/contact-fields.js';
import type { CustomColumns } from '../../../features/contacts/custom/columns.js';
import { listIgnoredColumns } from '../../../features/contacts/import/columns.js';
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
import { BodyId, bodyId, OnePath, pathId, requireFound } from '../../http/ids.js';
import { NumbersCountry } from '../../http/schemas/phones.js';
import { Id, iso, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { FieldColumns, TagList } from '../../resources/people/contact-fields.js';
import { fileDelimiter, WRITTEN_MARKS } from '../../resources/people/contacts.js';
import { ok } from '../answers.js';
import { CONTACTS, type Endpoints } from '../endpoint.js';

const MAX_CONTACTS = 25_000;

const LISTED_RULE = `must be an object with the string phone or userId or both, and optionally the strings ${FIELD_NAME_LIST}`;

const ListedContactSchema = Type.Unsafe<ListedContact>(
  Type.Object(
    {
      phone: Type.Optional(
        Type.String({
          description:
            'Digits with country code, or any common format with a plus sign; with `country`, also a national number. A row with neither `phone` nor `userId` is refused.',
        }),
      ),
      userId: Type.Optional(
        Type.String({
          description: "WhatsApp's ID for the person. Ignored on SMS channels.",
        }),
      ),
      ...mapFields(() => Type.Optional(Type.String())),
      ...WRITTEN_MARKS,
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
        description: 'The contacts. Send exactly one of `contacts`, `csv` and `csvBase64`.',
        [RULE]: `must be a list of 1 to ${MAX_CONTACTS} objects with the string phone or userId or both, and optionally the strings ${FIELD_NAME_LIST}`,
      }),
    ),
    csv: Type.Optional(
      Type.String({
        minLength: 1,
        description: `The contacts as CSV. The first row names the columns: \`phone\`, \`userId\` or both, and optionally ${FIELD_NAME_LIST}. Without a name, the columns \`first name\` and \`last name\` are joined. If the account has tags or fields, the columns \`tags\` and \`fields.<key>\` are imported. Other columns are not imported; \`ignoredColumns\` lists them.`,
        [RULE]: 'must be a non-empty string',
      }),
    ),
    csvBase64: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: '^[A-Za-z0-9+/]*={0,2}$',
        description: 'A CSV file in any supported encoding, instead of `csv`.',
        [RULE]: 'must be the content of a non-empty file, in base64',
      }),
    ),
    encoding: Type.Optional(
      Type.Unsafe<Encoding>({
        type: 'string',
        enum: [...ENCODINGS],
        description: 'Encoding of `csvBase64`. Detected if absent.',
        [RULE]: `must be one of ${ENCODINGS.join(', ')}`,
      }),
    ),
    country: Type.Optional(NumbersCountry),
    delimiter: Type.Optional(
      fileDelimiter('Delimiter of the CSV. Detected if absent, also from a first line such as `sep=;`.'),
    ),
    groupId: Type.Optional({
      ...BodyId,
      description: 'All imported contacts become members of this group, including those that already existed.',
    }),
    tags: Type.Optional(TagList('All imported contacts get these tags, including those that already existed.')),
    fieldColumns: Type.Optional(FieldColumns),
    update: Type.Optional(
      Type.Boolean({
        default: false,
        description: `Whether to replace ${FIELD_NAME_LIST} of existing contacts, to replace the field values that a row has, and to add the tags of a row. Empty values change nothing.`,
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
  tags: Type.Array(Type.String(), { description: 'Tags of all imported contacts.' }),
  totalRows: Type.Union([Type.Integer(), Type.Null()], { description: 'Null until the input has been read.' }),
  rows: Count('Rows processed so far; each is counted in one of the following fields.'),
  created: Count('New contacts.'),
  updated: Count('Existing contacts that were changed.'),
  unchanged: Count('Existing contacts that were not changed.'),
  refused: Count('Invalid rows, and rows with the number or user ID of an earlier row.'),
  refusedRows: Type.Array(
    Type.Object({
      row: Type.Integer({
        description:
          'In `csv` as in a spreadsheet: the first line is 1, and empty lines count. In `contacts` the first entry is 1.',
      }),
      phone: Type.Union([Type.String(), Type.Null()], { description: 'As in the input; null if the row has none.' }),
      reason: Type.String(),
    }),
    { description: `The first ${MAX_STORED_REFUSALS} refused rows.` },
  ),
  ignoredColumns: Type.Array(Type.String(), {
    description: 'Columns of the CSV that are not imported.',
  }),
  errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why the import `failed`.' }),
  createdAt: Timestamp,
  completedAt: NullableTimestamp,
});

export type ImportOptions = UseCaseOptions<typeof startImport | typeof readImportJob>;

export const importEndpoints: Endpoints<ImportOptions> = async (app, options) => {
  app.post(
    '/contacts/imports',
    CONTACTS.write({
      operationId: 'importContacts',
      summary: 'Import contacts',
      description:
        'Creates many contacts in the background, several thousand per second. You can get the progress by ID for 30 days. An ' +
        'invalid row, for example one with neither phone nor userId or one with NUL characters, is refused with a reason and does not affect the others. An interrupted import continues after a restart. No events are sent. A ' +
        `channel may have at most ${MAX_WAITING_IMPORTS} unfinished imports; for one more, the response is 409.`,
      body: ImportBody,
      data: ImportData,
      errors: [404, 409],
      checksTexts: true,
    }),
    async ({ body, caller }) => {
      const { country = null, groupId, update = false, tags, fieldColumns } = body;
      const request = {
        input: readInput(body),
        country,
        kind: caller.channel.kind,
        groupId: groupId === undefined ? null : bodyId(groupId, 'groupId'),
        update,
        tags,
        fieldColumns,
      };
      return ok(toRecord(await startImport(options, channelScope(caller), request)));
    },
  );

  app.get(
    '/contacts/imports/:id',
    CONTACTS.read({
      operationId: 'getImport',
      summary: 'Get the progress of an import',
      params: OnePath,
      data: ImportData,
    }),
    async ({ params, caller }) =>
      ok(
        toRecord(
          requireFound(await readImportJob(options, channelScope(caller), pathId(params.id, 'import')), 'import'),
        ),
      ),
  );
};

function readInput({
  contacts,
  csv,
  csvBase64,
  encoding,
  delimiter,
}: Static<typeof ImportBody>): ImportRequest['input'] {
  const inputNames = Object.entries({ contacts, csv, csvBase64 }).flatMap(([name, value]) =>
    value === undefined ? [] : name,
  );
  const [first, second] = inputNames;
  if (first === undefined) throw invalidField('contacts', 'is required unless csv or csvBase64 is sent');
  if (second !== undefined) throw invalidField(second, `must not be sent together with ${first}`);
  if (contacts !== undefined)
    return {
      contacts: contacts.map((contact) => {
        const { phone, userId, tags, fields } = contact;
        const marks = { ...(tags && { tags }), ...(fields && { fields }) };
        return { phone, userId, ...pickFields(contact), ...marks };
      }),
    };
  if (csv !== undefined) return { csv, delimiter };
  const bytes = Buffer.from(csvBase64 ?? '', 'base64');
  return { csv: decodeText(encoding ?? detectEncoding(bytes), bytes), delimiter };
}

function detectEncoding(bytes: Uint8Array): Encoding {
  const detector = new EncodingDetector();
  detector.write(bytes);
  return detector.end();
}

function readColumns({ fieldColumns }: ImportJob): CustomColumns {
  return (fieldColumns ?? {}) as CustomColumns;
}

function toRecord(job: ImportJob) {
  const { id, status, groupId, update, totalRows, rows, created, updated, present, refused, errorMessage } = job;
  return {
    id,
    status,
    groupId,
    update,
    tags: job.tags,
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
    // Imports from the console have no ignored columns, because the console maps columns itself.
    ignoredColumns: job.slices === null ? listIgnoredColumns(job.columns, readColumns(job)) : [],
    errorMessage,
    createdAt: job.createdAt.toISOString(),
    completedAt: iso(job.completedAt),
  };
}
