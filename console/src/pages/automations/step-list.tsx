import { ActionIcon, Button, Group, Menu, Paper, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { StepDraft } from '../../api/automations.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { newKey } from './new-key.js';
import { StepFields } from './step-fields.js';
import classes from './step-list.module.css';

const words = text.automations;

/** Step with a key that stays the same when the step is moved. */
export type EditedStep = StepDraft & { key: string };

const NEW_STEPS: readonly StepDraft[] = [
  { type: 'send_reply', message: '' },
  { type: 'send_template', templateName: '', language: '', components: [] },
  { type: 'wait', seconds: 3600 },
  { type: 'add_to_group', groupId: '' },
  { type: 'remove_from_group', groupId: '' },
];

interface StepListProps {
  channelRef: ChannelRef;
  steps: readonly EditedStep[];
  error: unknown;
  readOnly: boolean;
  onChange(steps: readonly EditedStep[]): void;
}

export function StepList({ channelRef, steps, error, readOnly, onChange }: StepListProps) {
  const list = useRef<HTMLOListElement>(null);
  /** CSS selector of the element to focus after the next render. */
  const [focus, setFocus] = useState<string | null>(null);
  /** Announcement for screen readers. */
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    if (focus === null) return;
    list.current?.querySelector<HTMLElement>(focus)?.focus();
    setFocus(null);
  }, [focus]);

  const move = (index: number, offset: -1 | 1) => {
    const reordered = [...steps];
    const [step] = reordered.splice(index, 1);
    if (!step) return;
    reordered.splice(index + offset, 0, step);
    onChange(reordered);
    const newIndex = index + offset;
    // A step that was moved to an end of the list can move no further, so its other button gets the focus.
    const direction = newIndex === 0 ? 1 : newIndex === steps.length - 1 ? -1 : offset;
    setFocus(`[data-step="${step.key}"] [data-move="${direction}"]`);
    setAnnouncement(words.moved(words.types[step.type], newIndex + 1));
  };
  const remove = (index: number) => {
    const remaining = steps.filter((_, position) => position !== index);
    onChange(remaining);
    const next = remaining[Math.min(index, remaining.length - 1)];
    if (next) setFocus(`[data-step="${next.key}"] [data-remove]`);
    setAnnouncement(words.removed(index + 1));
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
                channelRef={channelRef}
                step={step}
                error={error}
                path={`steps[${index}]`}
                onChange={(changed) =>
                  onChange(steps.map((each, position) => (position === index ? { ...each, ...changed } : each)))
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
              {NEW_STEPS.map((step) => (
                <Menu.Item key={step.type} onClick={() => add(step)}>
                  {words.types[step.type]}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Stack>
      )}
      <div className="visually-hidden" role="status" aria-live="polite">
        {announcement}
      </div>
    </>
  );
}
