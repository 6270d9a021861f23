import { Type } from '@sinclair/typebox';
import { FIELD_NAME_LIST, mapFields } from '../../../../features/contacts/contact-fields.js';
import { MAX_SLICE_ROWS, MAX_SLICES, type SlicedContact } from '../../../../features/contacts/import/slice-limits.js';
import { MAX_CELL_LENGTH, MAX_COLUMNS, MAX_IMPORTED_CELL } from '../../../../platform/text/csv-text.js';
import { BodyId } from '../../../http/ids.js';
import { NumbersCountry } from '../../../http/schemas/phones.js';
import { Id, NullableText, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { NULL_IS_ABSENT, RULE } from '../../../http/validation.js';
import { FieldColumns, TagList } from '../../../resources/people/contact-fields.js';
import { fileDelimiter, WRITTEN_MARKS } from '../../../resources/people/contacts.js';

const STATUSES = ['receiving', 'queued', 'running', 'completed', 'failed'] as const;
export type ShownImportStatus = (typeof STATUSES)[number];

export const ImportEntry = Type.Object({
  id: Id,
  status: Type.Unsafe<ShownImportStatus>({
    type: 'string',
    enum: [...STATUSES],
    description: '`receiving` until the last slice has arrived; discarded after a day.',
  }),
  fileName: NullableText,
  groupId: Type.Union([Id, Type.Null()]),
  update: Type.Boolean(),
  totalRows: Type.Union([Type.Integer(), Type.Null()], { description: 'Null until the input has been read.' }),
  rows: Type.Integer({ description: 'Rows processed so far; each is counted in one of the following fields.' }),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: 'Existing contacts that were left unchanged.' }),
  refused: Type.Integer(),
  errorMessage: NullableText,
  createdAt: Timestamp,
  completedAt: NullableTimestamp,
});

const integer = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description, [RULE]: `must be an integer from ${minimum} to ${maximum}` });

const CELL_TEXTS_RULE = `must be a list of at most ${MAX_COLUMNS} texts of at most ${MAX_CELL_LENGTH} characters each`;
const CellTexts = (description: string) =>
  Type.Array(Type.String({ maxLength: MAX_CELL_LENGTH, [RULE]: CELL_TEXTS_RULE }), {
    maxItems: MAX_COLUMNS,
    description,
    [RULE]: CELL_TEXTS_RULE,
  });

export const StartImportBody = Type.Object(
  {
    fileName: Type.Optional(
      Type.String({ maxLength: 255, examples: ['people.csv'], [RULE]: 'must be a text of at most 255 characters' }),
    ),
    groupId: Type.Optional({
      ...BodyId,
      description: 'All imported contacts become members of this group, including those that already existed.',
    }),
    update: Type.Optional(
      Type.Boolean({
        description: `Whether to replace ${FIELD_NAME_LIST} of existing contacts.`,
        [RULE]: 'must be true or false',
      }),
    ),
    tags: Type.Optional(TagList('All imported contacts get these tags, including those that already existed.')),
    fieldColumns: Type.Optional(FieldColumns),
    slices: integer(1, MAX_SLICES, 'Number of slices.'),
    totalRows: integer(1, MAX_SLICES * MAX_SLICE_ROWS, 'Total number of rows.'),
    columns: Type.Optional(CellTexts('Names of all columns of the file. The file of refused rows has these columns.')),
    delimiter: Type.Optional(fileDelimiter('Delimiter of the file, and of the file of refused rows. Default: comma.')),
  },
  { [NULL_IS_ABSENT]: true, examples: [{ fileName: 'people.csv', slices: 1, totalRows: 1 }] },
);

const Cell = Type.String({ maxLength: MAX_IMPORTED_CELL });

const SlicedRow = Type.Unsafe<SlicedContact>(
  Type.Object(
    {
      row: Type.Integer({ minimum: 1, description: 'Row number in the file.' }),
      phone: Type.Optional(Cell),
      userId: Type.Optional(Cell),
      ...mapFields(() => Type.Optional(Cell)),
      ...WRITTEN_MARKS,
      cells: Type.Optional(CellTexts('All cells of the row, if `columns` was sent.')),
    },
    {
      [RULE]: `must be an object with the integer row and the texts phone, userId, ${FIELD_NAME_LIST}, each of at most ${MAX_IMPORTED_CELL} characters, and perhaps cells, a list of texts`,
    },
  ),
);

export const SliceBody = Type.Object(
  {
    country: Type.Optional(NumbersCountry),
    rows: Type.Array(SlicedRow, {
      minItems: 1,
      maxItems: MAX_SLICE_ROWS,
      [RULE]: `must be a list of 1 to ${MAX_SLICE_ROWS} rows`,
    }),
  },
  { examples: [{ rows: [{ row: 2, phone: '15005550111', name: 'Ada Lovelace', email: '' }] }] },
);
