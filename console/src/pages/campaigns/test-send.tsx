import { NativeSelect, Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Campaign, testCampaign } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { useSendOnce } from '../../api/client/use-send-once.js';
import { type Contact, contactSearchQuery } from '../../api/people.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';
import { personText } from '../../ui/values/phone.js';
import { splitNumbers } from './recipient-fields.js';

const words = text.campaignActions;
const DEBOUNCE_MS = 250;

interface TestSendProps {
  channelRef: ChannelRef;
  campaign: Campaign;
  onClose(): void;
}

/** Sends a campaign's message to the operator's own numbers, with the values of a contact. */
export function TestSendDialog({ channelRef, campaign, onClose }: TestSendProps) {
  const sendOnce = useSendOnce();
  const [numbers, setNumbers] = useState('');
  const [contactId, setContactId] = useState<string | null>(null);
  const [variant, setVariant] = useState('A');
  const to = splitNumbers(numbers);
  const submit = async () => {
    const body = {
      to,
      ...(contactId !== null && { contactId }),
      ...(campaign.variants.length > 0 && { variant }),
    };
    const { messages } = await sendOnce(body, (key) => testCampaign(channelRef, campaign.id, body, key));
    notify(words.testSent(messages.length));
  };
  const numberFields = to.map((_, index) => `to[${index}]`);
  return (
    <FormDialog
      onClose={onClose}
      title={words.testTitle}
      submit={words.testSend}
      fields={['to', 'contactId', 'variant', ...numberFields]}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <Text size="sm">{words.testHint}</Text>
          <TextField
            label={words.testNumbers}
            description={words.testNumbersHint}
            required
            inputMode="tel"
            value={numbers}
            error={problem('to') ?? findNumberProblem(problem, to)}
            onChange={setNumbers}
          />
          <ContactSelect
            channelRef={channelRef}
            value={contactId}
            error={problem('contactId')}
            onChange={setContactId}
          />
          {campaign.variants.length > 0 && (
            <NativeSelect
              label={words.testVariant}
              value={variant}
              error={problem('variant')}
              onChange={(event) => setVariant(event.currentTarget.value)}
              data={campaign.variants.map(({ variant: name }) => name)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

function findNumberProblem(problem: (field: string) => string | undefined, to: readonly string[]) {
  for (const [index, number] of to.entries()) {
    const message = problem(`to[${index}]`);
    if (message) return text.campaigns.numberProblem(number, message);
  }
  return undefined;
}

interface ContactSelectProps {
  channelRef: ChannelRef;
  value: string | null;
  error: string | undefined;
  onChange(contactId: string | null): void;
}

/** Searches contacts while the operator types. */
function ContactSelect({ channelRef, value, error, onChange }: ContactSelectProps) {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<Contact | null>(null);
  const label = chosen ? formatContact(chosen) : '';
  // After a choice, the field contains the contact's label, which is not a search.
  const [searched] = useDebouncedValue(search === label ? '' : search, DEBOUNCE_MS);
  const { data: contacts = [] } = useQuery({
    ...contactSearchQuery(channelRef, searched.trim()),
    placeholderData: keepPreviousData,
  });
  const offered = chosen && !contacts.some(({ id }) => id === chosen.id) ? [chosen, ...contacts] : contacts;
  return (
    <Select
      label={words.testContact}
      description={words.testContactHint}
      error={error}
      data={offered.map((contact) => ({ value: contact.id, label: formatContact(contact) }))}
      filter={({ options }) => options}
      nothingFoundMessage={words.testContactNone}
      value={value}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(id) => {
        setChosen(offered.find((contact) => contact.id === id) ?? null);
        onChange(id);
      }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': text.common.clear }}
    />
  );
}

function formatContact(contact: Contact): string {
  return contact.name ? `${contact.name} (${personText(contact)})` : personText(contact);
}
