import { Button, Group as Row, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listFieldProblems } from '../../api/client/request.js';
import {
  keywordRepliesQuery,
  type KeywordReplies as Replies,
  setChannelKeywordReplies,
  setKeywordReplies,
} from '../../api/keyword-replies.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { DataTable } from '../../ui/tables/data-table.js';

const words = text.keywordReplies;
const KEYWORDS = ['stop', 'start', 'help'] as const;

interface KeywordRepliesProps {
  accountId: string;
  mayChange: boolean;
}

export function KeywordReplies({ accountId, mayChange }: KeywordRepliesProps) {
  const { data, error, refetch } = useQuery(keywordRepliesQuery(accountId));
  return (
    <Section title={words.title} lead={words.lead}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && <RepliesForm key={JSON.stringify(data.account)} {...{ accountId, mayChange, replies: data }} />}
      {data && <ChannelReplies {...{ accountId, mayChange, replies: data }} />}
    </Section>
  );
}

function RepliesForm({ accountId, mayChange, replies }: KeywordRepliesProps & { replies: Replies }) {
  const client = useQueryClient();
  const { account, languages, defaultTexts } = replies;
  const form = useForm({
    initialValues: {
      isOn: account.isOn,
      name: account.name ?? '',
      contact: account.contact ?? '',
      language: account.language,
      texts: { stop: account.texts.stop ?? '', start: account.texts.start ?? '', help: account.texts.help ?? '' },
    },
  });
  const save = useMutation({
    mutationFn: ({ isOn, name, contact, language, texts }: typeof form.values) =>
      setKeywordReplies(accountId, {
        ...{ isOn, language, name: name || null, contact: contact || null },
        texts: { stop: texts.stop || null, start: texts.start || null, help: texts.help || null },
      }),
    onSuccess: (saved) => {
      client.setQueryData(keywordRepliesQuery(accountId).queryKey, saved);
      notify(words.saved);
    },
    onError: (error) => form.setErrors(listFieldProblems(error)),
  });
  const isShownByFields = Object.keys(listFieldProblems(save.error)).length > 0;
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="sm">
        <Switch
          label={words.isOn}
          description={words.isOnHint}
          disabled={!mayChange}
          {...form.getInputProps('isOn', { type: 'checkbox' })}
        />
        <Row gap="sm" align="flex-start">
          <TextInput
            label={words.name}
            description={words.nameHint}
            disabled={!mayChange}
            flex={1}
            miw={220}
            {...form.getInputProps('name')}
          />
          <TextInput
            label={words.contact}
            description={words.contactHint}
            disabled={!mayChange}
            flex={1}
            miw={220}
            {...form.getInputProps('contact')}
          />
        </Row>
        <Select
          label={words.language}
          allowDeselect={false}
          disabled={!mayChange}
          data={languages.map((language) => ({ value: language, label: words.languages[language] ?? language }))}
          {...form.getInputProps('language')}
        />
        {KEYWORDS.map((keyword) => (
          <Textarea
            key={keyword}
            label={words[keyword]}
            description={words.textHint}
            placeholder={defaultTexts[keyword]}
            disabled={!mayChange}
            autosize
            minRows={2}
            {...form.getInputProps(`texts.${keyword}`)}
          />
        ))}
        {mayChange && (
          <Row>
            <Button type="submit" variant="default" loading={save.isPending}>
              {words.save}
            </Button>
          </Row>
        )}
        {save.error && !isShownByFields && <ErrorState error={save.error} />}
      </Stack>
    </form>
  );
}

type ChannelRow = Replies['channels'][number];

function ChannelReplies({ accountId, mayChange, replies }: KeywordRepliesProps & { replies: Replies }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ id, isOn }: { id: string; isOn: boolean | null }) =>
      setChannelKeywordReplies(accountId, id, { isOn }),
    onSuccess: (saved) => {
      client.setQueryData(keywordRepliesQuery(accountId).queryKey, saved);
      notify(words.saved);
    },
  });
  return (
    <>
      {change.error && <ErrorState error={change.error} />}
      <DataTable<ChannelRow>
        caption={words.channel}
        rowKey={({ id }) => id}
        rows={replies.channels}
        error={null}
        empty={
          <Text size="sm" c="dimmed">
            {words.noChannels}
          </Text>
        }
        columns={[
          {
            key: 'channel',
            header: words.channel,
            bare: true,
            render: ({ channelName, phoneNumber }) => <Text fw={500}>{`${channelName} (+${phoneNumber})`}</Text>,
          },
          {
            key: 'setting',
            header: words.setting,
            render: ({ id, channelName, isOn, isCarrierReplying }) => (
              <Select
                aria-label={`${words.setting}: ${channelName}`}
                description={isCarrierReplying ? words.carrierReplies : undefined}
                allowDeselect={false}
                disabled={!mayChange || change.isPending}
                data={[
                  { value: 'null', label: words.follow },
                  { value: 'true', label: words.on },
                  { value: 'false', label: words.off },
                ]}
                value={String(isOn)}
                onChange={(value) => change.mutate({ id, isOn: value === 'null' ? null : value === 'true' })}
              />
            ),
          },
          { key: 'replies', header: words.replies, render: ({ sends }) => (sends ? words.yes : words.no) },
        ]}
      />
    </>
  );
}
