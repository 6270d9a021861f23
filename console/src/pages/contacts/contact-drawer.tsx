import { Badge, Button, Drawer, Group as Row, Stack, Switch, TagsInput, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { CONTACT_FIELD_NAMES, mapFields, toSetText } from '../../../../src/features/contacts/contact-fields.js';
import { type CustomValues, formatValue } from '../../../../src/features/contacts/custom/field-values.js';
import { type ContactField, contactFieldsQuery, contactTagsQuery } from '../../api/account/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useRemoval } from '../../api/client/removal.js';
import { listFieldProblems } from '../../api/client/request.js';
import { type ContactWithGroups, contactQuery, deleteContacts, updateContact } from '../../api/people.js';
import { useSearchParams } from '../../browser/search.js';
import { ContactFieldInput } from '../../shared/contact-field-input.js';
import { CustomFieldInput } from '../../shared/custom-field-input.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { useFieldEdits } from '../../ui/forms/use-field-edits.js';
import { personText } from '../../ui/values/phone.js';
import { TimeText } from '../../ui/values/time-text.js';
import { ContactConsent } from './contact-consent.js';
import { ContactLinks } from './contact-links.js';

const words = text.contacts;

interface ContactDrawerProps {
  channelRef: ChannelRef;
  mayChange: boolean;
  onDeleted(id: string): void;
}

export function ContactDrawer({ channelRef, mayChange, onDeleted }: ContactDrawerProps) {
  const [params, setParams] = useSearchParams();
  const { contact: id = '', cursor } = params;
  const { data, error, refetch } = useQuery(contactQuery(channelRef, id));
  const close = () => setParams({ contact: undefined, cursor });
  const contact = data?.id === id ? data : null;
  return (
    <Drawer.Root opened={id !== ''} onClose={close} position="right">
      <Drawer.Overlay />
      <Drawer.Content>
        {/* Without this role, screen readers would treat the drawer's header as a second page banner. */}
        <Drawer.Header role="presentation">
          <Drawer.Title>{contact ? contact.name || personText(contact) : words.title}</Drawer.Title>
          <Drawer.CloseButton aria-label={text.common.close} />
        </Drawer.Header>
        <Drawer.Body>
          {contact ? (
            <>
              <Contact
                key={contact.id}
                channelRef={channelRef}
                contact={contact}
                mayChange={mayChange}
                onGone={() => {
                  onDeleted(id);
                  close();
                }}
              />
              <ContactConsent channelRef={channelRef} contactId={contact.id} mayChange={mayChange} />
            </>
          ) : error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <LoadingState />
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

interface ContactProps {
  channelRef: ChannelRef;
  contact: ContactWithGroups;
  mayChange: boolean;
  onGone(): void;
}

function Contact({ channelRef, contact, mayChange, onGone }: ContactProps) {
  const client = useQueryClient();
  const removal = useRemoval();
  const { id, groups, createdAt } = contact;
  const refresh = () => client.invalidateQueries({ queryKey: ['contacts', channelRef.accountId] });
  const { optedOut } = contact;
  const { data: customFields = [] } = useQuery(contactFieldsQuery(channelRef.accountId));
  const { data: knownTags = [] } = useQuery(contactTagsQuery(channelRef.accountId));
  const texts = mapFields((name) => {
    const value = contact[name] ?? '';
    return typeof value === 'object' ? toSetText(value) : value;
  });
  const custom = useFieldEdits(toTexts(customFields, contact.fields));
  const { values, changes, isChanged, set, settle } = useFieldEdits({ ...texts, tags: [...contact.tags], optedOut });
  const save = useMutation({
    mutationFn: ({ sentChanges, sentFields }: { sentChanges: typeof changes; sentFields: Record<string, string> }) =>
      updateContact(channelRef, id, {
        ...sentChanges,
        ...(Object.keys(sentFields).length > 0 && { fields: sentFields }),
      }),
    onSuccess: async (savedContact, { sentChanges, sentFields }) => {
      client.setQueryData(contactQuery(channelRef, id).queryKey, savedContact);
      settle(sentChanges);
      custom.settle(sentFields);
      notify(words.saved);
      await refresh();
      await client.invalidateQueries({ queryKey: ['contact-tags', channelRef.accountId] });
    },
  });
  const remove = async () => {
    await removal({
      queryKey: contactQuery(channelRef, id).queryKey,
      remove: () => deleteContacts(channelRef, [id]),
      leave: onGone,
      listsKey: ['contacts', channelRef.accountId],
    });
    notify(words.deleted('1'));
  };
  const canSave = isChanged || custom.isChanged;
  const problems = listFieldProblems(save.error);
  const isShownByFields = Object.keys(problems).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canSave && !save.isPending) save.mutate({ sentChanges: changes, sentFields: toDefined(custom.changes) });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">
          {personText(contact)} · {words.createdAt} <TimeText value={createdAt} />
        </Text>
        <ContactLinks channelRef={channelRef} contact={contact} mayWrite={mayChange} />
        {CONTACT_FIELD_NAMES.map((name) => (
          <ContactFieldInput
            key={name}
            name={name}
            value={values[name]}
            computed={name === 'language' || name === 'timeZone' ? contact[name] : null}
            error={problems[name]}
            readOnly={!mayChange}
            onChange={(value) => set(name, value)}
          />
        ))}
        <TagsInput
          comboboxProps={{ withinPortal: false }}
          label={words.tags}
          description={mayChange ? words.tagsHint : undefined}
          data={mayChange ? knownTags : []}
          readOnly={!mayChange}
          value={values.tags}
          error={problems.tags}
          onChange={(tags) => set('tags', tags)}
          acceptValueOnBlur
        />
        {customFields.map((customField) => (
          <CustomFieldInput
            key={customField.key}
            field={customField}
            value={custom.values[customField.key] ?? ''}
            error={problems[`fields.${customField.key}`]}
            readOnly={!mayChange}
            onChange={(value) => custom.set(customField.key, value)}
          />
        ))}
        <Switch
          label={words.optedOutLabel}
          description={words.optedOutHint}
          disabled={!mayChange}
          checked={values.optedOut}
          onChange={(event) => set('optedOut', event.currentTarget.checked)}
        />
        <Stack gap={4}>
          <Text size="sm" fw={500}>
            {words.groups}
          </Text>
          <Row gap="xs">
            {groups.length === 0 && (
              <Text size="sm" c="dimmed">
                {words.inNoGroup}
              </Text>
            )}
            {groups.map((group) => (
              <Badge key={group.id} variant="light" color="gray" radius="sm" tt="none">
                {group.name}
              </Badge>
            ))}
          </Row>
        </Stack>
        {save.error && !isShownByFields && <ErrorState error={save.error} />}
        {mayChange && (
          <Row justify="space-between">
            <ConfirmButton
              {...words.deleteQuestion(words.deleteTitle(contact.name || personText(contact)))}
              onConfirm={remove}
            >
              {text.common.delete}
            </ConfirmButton>
            <Button type="submit" loading={save.isPending} disabled={!canSave}>
              {text.common.save}
            </Button>
          </Row>
        )}
      </Stack>
    </form>
  );
}

/** Values by key, as people write them. */
function toTexts(fields: readonly ContactField[], values: CustomValues): Record<string, string> {
  return Object.fromEntries(fields.map(({ key }) => [key, formatValue(values[key])]));
}

function toDefined(changes: Partial<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, value ?? '']));
}
