import { Badge, Group, Stack, Table, Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { NoCredit } from '../../../shared/no-credit.js';
import { text } from '../../../text/en.js';
import { formatNumber } from '../../../ui/values/numbers.js';
import type { Answer } from '../call.js';
import { CodeBlock } from './code-block.js';

interface AnswerViewProps {
  answer: Answer;
  /** Content to show above the response's body and headers, because those may be long. */
  children: ReactNode;
}

export function AnswerView({ answer, children }: AnswerViewProps) {
  const color = answer.status < 300 ? 'green' : answer.status < 500 ? 'yellow' : 'red';
  return (
    <Stack gap="sm">
      <Group gap="sm" role="status">
        <Badge color={color} variant="light" radius="sm" tt="none" size="lg">
          {answer.status} {answer.statusText}
        </Badge>
        <Text size="sm" c="dimmed">
          {text.playground.took(formatNumber(Math.round(answer.durationMs)))}
        </Text>
      </Group>
      {answer.status === 402 && <NoCredit title={text.noCredit.tooLittle} />}
      {children}
      <Tabs defaultValue="body">
        <Tabs.List>
          <Tabs.Tab value="body">{text.playground.body}</Tabs.Tab>
          <Tabs.Tab value="headers">{text.playground.headers(answer.headers.length)}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="body" pt="sm">
          {answer.body === '' ? (
            <Text c="dimmed">{text.playground.noBody}</Text>
          ) : (
            <CodeBlock label={text.playground.answerBody} wrap>
              {answer.body}
            </CodeBlock>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="headers" pt="sm">
          <Table fz="sm">
            <Table.Tbody>
              {answer.headers.map(([name, value]) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={600}>
                    {name}
                  </Table.Th>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
