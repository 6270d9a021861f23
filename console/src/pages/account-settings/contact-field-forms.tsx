import { NativeSelect, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { FIELD_TYPES, type FieldType, toFieldKey } from '../../../../src/features/contacts/custom/field-values.js';
import { type ContactField, createContactField, updateContactField } from '../../api/account/contact-fields.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.contactFields;

interface DialogProps {
  accountId: string;
  onClose(): void;
  onSaved(): Promise<void>;
}

/** The key follows the label until somebody edits the key. */
export function NewContactFieldDialog({ accountId, onClose, onSaved }: DialogProps) {
  const [label, setLabel] = useState('');
  const [writtenKey, setWrittenKey] = useState<string | null>(null);
  const [type, setType] = useState<FieldType>('text');
  const [choices, setChoices] = useState<string[]>([]);
  const key = writtenKey ?? toFieldKey(label) ?? '';
  const submit = async () => {
    await createContactField(accountId, { key, label, type, ...(type === 'choice' && { choices }) });
    notify(words.added);
    await onSaved();
  };
  return (
    <FormDialog onClose={onClose} title={words.add} fields={['key', 'label', 'choices']} onSubmit={submit}>
      {(problem, field) => (
        <>
          <TextField label={words.label} required {...field('label', label, setLabel)} />
          <TextField label={words.key} description={words.keyHint} required {...field('key', key, setWrittenKey)} />
          <NativeSelect
            label={words.type}
            data={FIELD_TYPES.map((value) => ({ value, label: words.types[value] }))}
            value={type}
            onChange={(event) => setType(event.currentTarget.value as FieldType)}
          />
          {type === 'choice' && <Choices value={choices} error={problem('choices')} onChange={setChoices} />}
        </>
      )}
    </FormDialog>
  );
}

export function ContactFieldDialog({ accountId, field, onClose, onSaved }: DialogProps & { field: ContactField }) {
  const [label, setLabel] = useState(field.label);
  const [choices, setChoices] = useState(field.choices);
  const submit = async () => {
    await updateContactField(accountId, field.key, { label, ...(field.type === 'choice' && { choices }) });
    notify(words.saved);
    await onSaved();
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.changeTitle(field.label)}
      submit={text.common.save}
      fields={['label', 'choices']}
      onSubmit={submit}
    >
      {(problem, props) => (
        <>
          <TextField label={words.label} required {...props('label', label, setLabel)} />
          {field.type === 'choice' && <Choices value={choices} error={problem('choices')} onChange={setChoices} />}
        </>
      )}
    </FormDialog>
  );
}

interface ChoicesProps {
  value: string[];
  error: string | undefined;
  onChange(value: string[]): void;
}

function Choices(props: ChoicesProps) {
  return <TagsInput label={words.choices} description={words.choicesHint} required acceptValueOnBlur {...props} />;
}
