import { Button, Code, Group as Row } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ContactField, contactFieldsQuery, deleteContactField } from '../../api/account/contact-fields.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { actionsColumn, type Column, DataTable } from '../../ui/tables/data-table.js';
import { ContactFieldDialog, NewContactFieldDialog } from './contact-field-forms.js';

const words = text.contactFields;

export function ContactFieldsSection({ accountId }: { accountId: string }) {
  const client = useQueryClient();
  const { data: fields, error, refetch } = useQuery(contactFieldsQuery(accountId));
  const mayChange = useCan('developer');
  const [isAdding, setAdding] = useState(false);
  const [changedField, setChangedField] = useState<ContactField | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: contactFieldsQuery(accountId).queryKey });
  const remove = async (key: string) => {
    await deleteContactField(accountId, key);
    notify(words.deleted);
    await refresh();
  };
  const add = mayChange && (
    <Button variant="default" size="xs" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  const actions = actionsColumn<ContactField>((field) => (
    <Row gap="xs" justify="flex-end">
      <Button size="xs" variant="default" onClick={() => setChangedField(field)}>
        {words.change}
      </Button>
      <ConfirmButton size="xs" {...words.deleteQuestion(field.label)} onConfirm={() => remove(field.key)}>
        {text.common.delete}
      </ConfirmButton>
    </Row>
  ));
  return (
    <Section title={words.title} lead={words.lead} actions={fields?.length !== 0 && add}>
      <DataTable<ContactField>
        caption={words.title}
        rowKey={({ key }) => key}
        columns={[...COLUMNS, ...(mayChange ? [actions] : [])]}
        rows={fields}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState icon="users" title={words.empty} hint={words.emptyHint} action={add} />}
      />
      {isAdding && <NewContactFieldDialog accountId={accountId} onClose={() => setAdding(false)} onSaved={refresh} />}
      {changedField && (
        <ContactFieldDialog
          accountId={accountId}
          field={changedField}
          onClose={() => setChangedField(null)}
          onSaved={refresh}
        />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<ContactField>[] = [
  { key: 'label', header: words.label, bare: true, breaks: true, render: ({ label }) => label },
  {
    key: 'type',
    header: words.type,
    breaks: true,
    render: ({ type, choices }) => (type === 'choice' ? choices.join(', ') : words.types[type]),
  },
  {
    key: 'placeholder',
    header: words.placeholder,
    breaks: true,
    render: ({ key }) => <Code>{`{{contact.fields.${key}}}`}</Code>,
  },
];
