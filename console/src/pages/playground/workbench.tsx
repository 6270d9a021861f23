import { Button, Code, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { Section } from '../../ui/layout/section.js';
import { AnswerView } from './answer/answer-view.js';
import { CodeBlock } from './answer/code-block.js';
import { LiveLine } from './answer/live-line.js';
import { call, listSentMessages } from './call.js';
import { CredentialsForm, useCaller } from './credentials.js';
import { buildRequest, findJsonProblem, newRequestDraft } from './draft.js';
import type { Operation } from './operations.js';
import { RequestForm } from './request-form.js';
import { buildSnippet, LANGUAGES } from './snippets.js';

interface WorkbenchProps {
  operation: Operation;
  callerId: string | undefined;
  to?: string | undefined;
  onCaller(id: string): void;
}

export function Workbench({ operation, callerId, to, onCaller }: WorkbenchProps) {
  const mayCall = useCan('developer');
  const [draft, setDraft] = useState(() => newRequestDraft(operation, to));
  const caller = useCaller(operation.surface, callerId);
  const request = buildRequest(operation, draft);
  const submission = useMutation({
    mutationFn: async () => {
      const { credentials } = caller;
      const answer = await call(operation.surface, request, credentials);
      return { answer, messages: listSentMessages(operation, answer), credentials };
    },
  });
  const isInvalid = request.body !== null && findJsonProblem(request.body) !== null;
  const lacksPathParameter = operation.parameters.some(
    ({ in: location, name }) => location === 'path' && (draft.parameters[name] ?? '').trim() === '',
  );
  const result = submission.data;
  return (
    <Stack gap="md" miw={0}>
      <div>
        <Title order={2}>{operation.summary}</Title>
        <Text size="sm" c="dimmed" mt={4}>
          <Code>
            {operation.method} {operation.path}
          </Code>
        </Text>
        {operation.description && (
          <Text size="sm" mt="xs" maw={720}>
            {operation.description.replaceAll('`', '')}
          </Text>
        )}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submission.mutate();
        }}
      >
        <Stack gap="md">
          <Section title={text.playground.caller}>
            <CredentialsForm surface={operation.surface} caller={caller} onChoose={onCaller} />
          </Section>
          <Section title={text.playground.request}>
            <RequestForm operation={operation} draft={draft} onChange={setDraft} />
            <Group>
              <Button
                type="submit"
                loading={submission.isPending}
                disabled={!mayCall || !caller.isComplete || isInvalid || lacksPathParameter}
                leftSection={<Icon name="send" size={16} />}
              >
                {text.playground.send}
              </Button>
              {!mayCall && (
                <Text size="sm" c="dimmed">
                  {text.playground.viewer}
                </Text>
              )}
            </Group>
          </Section>
        </Stack>
      </form>
      {(result || submission.error) && (
        <Section title={text.playground.answer}>
          {submission.error && <ErrorState error={submission.error} />}
          {result && (
            <AnswerView answer={result.answer}>
              {result.messages.map((message) => (
                <LiveLine
                  key={message.id}
                  surface={operation.surface}
                  message={message}
                  credentials={result.credentials}
                />
              ))}
            </AnswerView>
          )}
        </Section>
      )}
      <Section title={text.playground.asProgram} lead={text.playground.asProgramHint}>
        <Tabs defaultValue="curl">
          <Tabs.List>
            {LANGUAGES.map((language) => (
              <Tabs.Tab key={language} value={language}>
                {language}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {LANGUAGES.map((language) => (
            <Tabs.Panel key={language} value={language} pt="sm">
              <CodeBlock label={language}>
                {buildSnippet(language, operation.surface, window.location.origin, request)}
              </CodeBlock>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Section>
    </Stack>
  );
}
