import { Badge, Button, Group as Row, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listFieldProblems } from '../../api/client/request.js';
import { type OptOutWord, optOutWordsQuery, removeOptOutWord, setOptOutWord } from '../../api/opt-outs.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { actionsColumn, DataTable } from '../../ui/tables/data-table.js';

const words = text.optOuts;

export function OptOutWords({ accountId, mayChange }: { accountId: string; mayChange: boolean }) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(optOutWordsQuery(accountId));
  const ownWords = data?.filter(({ isOwn }) => isOwn);
  const refresh = () => client.invalidateQueries({ queryKey: optOutWordsQuery(accountId).queryKey });
  const remove = async (word: string) => {
    await removeOptOutWord(accountId, word);
    notify(words.wordRemoved);
    await refresh();
  };
  return (
    <Section title={words.words} lead={words.wordsLead}>
      <DataTable<OptOutWord>
        caption={words.ownWords}
        rowKey={({ word }) => word}
        rows={ownWords}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Text size="sm" c="dimmed">
            {words.noOwnWords}
          </Text>
        }
        columns={[
          { key: 'word', header: words.word, bare: true, render: ({ word }) => <Text fw={500}>{word}</Text> },
          { key: 'meaning', header: words.meaning, render: ({ meaning }) => words[meaning] },
          ...(mayChange
            ? [
                actionsColumn<OptOutWord>(({ word }) => (
                  <ConfirmButton size="xs" {...words.removeWordQuestion(word)} onConfirm={() => remove(word)}>
                    {words.remove}
                  </ConfirmButton>
                )),
              ]
            : []),
        ]}
      />
      {mayChange && <WordForm accountId={accountId} onDone={refresh} />}
      <CommonWords commonWords={data ?? []} />
    </Section>
  );
}

function CommonWords({ commonWords }: { commonWords: readonly OptOutWord[] }) {
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {words.common}
      </Text>
      {(['stop', 'start'] as const).map((meaning) => (
        <Row key={meaning} gap="xs">
          <Text size="sm" c="dimmed" miw={130}>
            {words[meaning]}
          </Text>
          {commonWords
            .filter((entry) => !entry.isOwn && entry.meaning === meaning)
            .map(({ word }) => (
              <Badge key={word} variant="light" color="gray" radius="sm" tt="none">
                {word}
              </Badge>
            ))}
        </Row>
      ))}
    </Stack>
  );
}

function WordForm({ accountId, onDone }: { accountId: string; onDone(): Promise<void> }) {
  const form = useForm({ initialValues: { word: '', meaning: 'stop' as OptOutWord['meaning'] } });
  const add = useMutation({
    mutationFn: (values: typeof form.values) => setOptOutWord(accountId, values),
    onSuccess: async () => {
      form.reset();
      notify(words.wordSaved);
      await onDone();
    },
    onError: (error) => form.setErrors(listFieldProblems(error)),
  });
  const isShownByFields = Object.keys(listFieldProblems(add.error)).length > 0;
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} noValidate>
      <Stack gap="sm">
        <Row gap="sm" align="flex-end">
          <TextInput
            label={words.word}
            description={words.wordHint}
            flex={1}
            miw={220}
            required
            {...form.getInputProps('word')}
          />
          <Select
            label={words.meaning}
            allowDeselect={false}
            data={[
              { value: 'stop', label: words.stop },
              { value: 'start', label: words.start },
            ]}
            {...form.getInputProps('meaning')}
          />
          <Button type="submit" variant="default" loading={add.isPending}>
            {words.setWord}
          </Button>
        </Row>
        {add.error && !isShownByFields && <ErrorState error={add.error} />}
      </Stack>
    </form>
  );
}
