import { ActionIcon, Button, Group, Menu, Paper, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { StepDraft } from '../../api/automations.js';
import type { OfChannel } from '../../api/campaigns.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { newKey } from './new-key.js';
import { StepFields } from './step-fields.js';
import classes from './step-list.module.css';

const words = text.automations;

/** A step in the form, which keeps its key wherever it is moved. */
export type EditedStep = StepDraft & { key: string };

const NEW: readonly StepDraft[] = [
  { type: 'send_reply', message: '' },
  { type: 'send_template', templateName: '', language: '', components: [] },
  { type: 'wait', seconds: 3600 },
  { type: 'add_to_group', groupId: '' },
  { type: 'remove_from_group', groupId: '' },
];

interface StepListProps {
  of: OfChannel;
  steps: readonly EditedStep[];
  error: unknown;
  readOnly: boolean;
  onChange(steps: readonly EditedStep[]): void;
}

/** The steps of an automation in their order: each can be changed, moved and removed, by keyboard as well. */
export function StepList({ of, steps, error, readOnly, onChange }: StepListProps) {
  const list = useRef<HTMLOListElement>(null);
  /** What is focused once the list is drawn anew, and what is said of the move. */
  const [focus, setFocus] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (focus === null) return;
    list.current?.querySelector<HTMLElement>(focus)?.focus();
    setFocus(null);
  }, [focus]);

  const move = (index: number, by: -1 | 1) => {
    const moved = [...steps];
    const [step] = moved.splice(index, 1);
    if (!step) return;
    moved.splice(index + by, 0, step);
    onChange(moved);
    const at = index + by;
    // At an end the button that was pressed is off, and the other one takes its place.
    const direction = at === 0 ? 1 : at === steps.length - 1 ? -1 : by;
    setFocus(`[data-step="${step.key}"] [data-move="${direction}"]`);
    setSaid(words.moved(words.types[step.type], at + 1));
  };
  const remove = (index: number) => {
    const rest = steps.filter((_, at) => at !== index);
    onChange(rest);
    const next = rest[Math.min(index, rest.length - 1)];
    if (next) setFocus(`[data-step="${next.key}"] [data-remove]`);
    setSaid(words.removed(index + 1));
  };
  const add = (step: StepDraft) => {
    const key = newKey();
    onChange([...steps, { ...step, key }]);
    setFocus(`[data-step="${key}"] :is(input, textarea, select)`);
  };
  return (
    <>
      <ol ref={list} className={classes.steps}>
        {steps.map((step, index) => (
          <li key={step.key} data-step={step.key}>
            <Paper withBorder p="sm" radius="md">
              <Group justify="space-between" mb="xs" gap="xs">
                <Text fw={600} size="sm">
                  {words.step(index + 1, words.types[step.type])}
                </Text>
                {!readOnly && (
                  <Group gap={4}>
                    <ActionIcon
                      data-move={-1}
                      disabled={index === 0}
                      aria-label={words.moveUp(index + 1)}
                      onClick={() => move(index, -1)}
                    >
                      <Icon name="chevron-down" />
                    </ActionIcon>
                    <ActionIcon
                      data-move={1}
                      disabled={index === steps.length - 1}
                      aria-label={words.moveDown(index + 1)}
                      onClick={() => move(index, 1)}
                    >
                      <Icon name="chevron-down" />
                    </ActionIcon>
                    <ActionIcon data-remove aria-label={words.remove(index + 1)} onClick={() => remove(index)}>
                      <Icon name="trash" />
                    </ActionIcon>
                  </Group>
                )}
              </Group>
              <StepFields
                of={of}
                step={step}
                error={error}
                path={`steps[${index}]`}
                onChange={(changed) =>
                  onChange(steps.map((each, at) => (at === index ? { ...each, ...changed } : each)))
                }
              />
            </Paper>
          </li>
        ))}
      </ol>
      {steps.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.noSteps}
        </Text>
      )}
      {!readOnly && (
        <Stack align="flex-start">
          <Menu position="bottom-start">
            <Menu.Target>
              <Button variant="default" leftSection={<Icon name="plus" size={16} />}>
                {words.addStep}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {NEW.map((step) => (
                <Menu.Item key={step.type} onClick={() => add(step)}>
                  {words.types[step.type]}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Stack>
      )}
      <div className="visually-hidden" role="status" aria-live="polite">
        {said}
      </div>
    </>
  );
}
