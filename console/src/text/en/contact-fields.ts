import type { FieldType } from '../../../../src/features/contacts/custom/field-values.js';

export const contactFields = {
  contactFields: {
    title: 'Contact fields',
    lead: 'Your own fields for contacts of all channels, for example a plan or a birthday.',
    add: 'Add field',
    added: 'Field added',
    change: 'Edit',
    changeTitle: (label: string) => `Edit the field “${label}”`,
    choices: 'Choices',
    choicesHint: 'Press Enter after each choice.',
    deleted: 'Field deleted',
    deleteQuestion: (label: string) => ({
      title: `Delete the field “${label}”?`,
      consequence: 'The values of all contacts are deleted within a few minutes. This cannot be undone.',
      confirm: 'Delete permanently',
    }),
    empty: 'No contact fields yet',
    emptyHint: 'Add a field, or map a column of an import to a new field.',
    key: 'Key',
    keyHint: 'For placeholders such as {{contact.fields.plan}} and for the API. It cannot be changed later.',
    label: 'Label',
    no: 'No',
    notSet: 'Not set',
    placeholder: 'Placeholder',
    saved: 'Field saved',
    type: 'Type',
    types: {
      text: 'Text',
      number: 'Number',
      date: 'Date',
      boolean: 'Yes or no',
      choice: 'Choice',
    } satisfies Record<FieldType, string>,
    yes: 'Yes',
  },
};
