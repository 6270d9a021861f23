import { Button, Group, Text, useComputedColorScheme } from '@mantine/core';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as ChartJs,
  type ChartOptions,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { useEffect, useRef, useState } from 'react';
import { text } from '../../text/en.js';
import { formatNumber } from '../values/numbers.js';
import classes from './chart.module.css';
import { wrapLabel } from './chart-labels.js';

ChartJs.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

export interface Series {
  label: string;
  values: readonly (number | null)[];
  /** Color of the series; by default, the next color in the chart's order. */
  color?: keyof typeof COLORS;
}

interface ChartProps {
  title: string;
  /** Kind of chart; `bar` has horizontal bars, which leave room for long names. */
  kind?: 'line' | 'bar';
  axis: string;
  labels: readonly string[];
  series: readonly Series[];
  format?: (value: number) => string;
}

/** Pixels. */
const LINES_HEIGHT = 260;

/** Colors for the light and the dark scheme, chosen so that people with color blindness can distinguish them. */
const COLORS = {
  blue: ['#1864ab', '#74c0fc'],
  green: ['#2b7a3d', '#8ce99a'],
  red: ['#b42318', '#ff8a80'],
  amber: ['#a05a07', '#fac15a'],
  gray: ['#596069', '#a9b0b8'],
  violet: ['#5f3dc4', '#b197fc'],
} as const;
const ORDER = Object.keys(COLORS) as (keyof typeof COLORS)[];

/** Screen readers always get a table instead of the chart. */
export function Chart(props: ChartProps) {
  const { title, kind, axis, labels, series, format = formatNumber } = props;
  const height = kind === 'bar' ? barChartHeight(labels) : LINES_HEIGHT;
  const [showsTable, setAsTable] = useState(false);
  return (
    <figure className={classes.figure}>
      <Group component="figcaption" justify="space-between" mb="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setAsTable(!showsTable)}>
          {showsTable ? text.common.showChart : text.common.showTable}
        </Button>
      </Group>
      {!showsTable && <ChartCanvas {...props} format={format} height={height} />}
      <div
        className={showsTable ? classes.table : 'visually-hidden'}
        style={showsTable ? { maxHeight: height } : undefined}
      >
        <table>
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{axis}</th>
              {series.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two hours may have the same label.
              <tr key={index}>
                <th scope="row">{label}</th>
                {series.map(({ label: name, values }) => (
                  <td key={name}>{values[index] === null ? '–' : format(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Sizes in pixels: space around the bars, minimum height of a row, height of a label's line, minimum height of the chart. */
const [FRAME, ROW, LINE, MIN_HEIGHT] = [80, 36, 15, 240];

function barChartHeight(labels: readonly string[]): number {
  const lines = Math.max(0, ...labels.map((label) => wrapLabel(label).length));
  return Math.max(MIN_HEIGHT, FRAME + Math.max(ROW, LINE * (lines + 1)) * labels.length);
}

function ChartCanvas({ kind = 'line', labels, series, format, height }: ChartProps & { height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<ChartJs | null>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const isBar = kind === 'bar';
    const shadeIndex = scheme === 'dark' ? 1 : 0;
    const textColor = COLORS.gray[shadeIndex];
    const lineColor = scheme === 'dark' ? '#3b3b3b' : '#e3e6ea';
    const data = {
      labels: [...labels],
      datasets: series.map(({ label, values, color }, index) => {
        const seriesColor = COLORS[color ?? ORDER[index % ORDER.length] ?? 'blue'][shadeIndex];
        return {
          label,
          data: [...values],
          borderColor: seriesColor,
          backgroundColor: kind === 'bar' ? seriesColor : `${seriesColor}22`,
          borderWidth: kind === 'bar' ? 0 : 2,
          pointRadius: 0,
          pointHitRadius: 12,
          tension: 0.25,
          fill: series.length === 1,
        };
      }),
    };
    const options: ChartOptions = {
      responsive: true,
      maintainAspectRatio: false,
      // The chart is not animated, because live values change often and an animation would never stop.
      animation: false,
      indexAxis: isBar ? 'y' : 'x',
      interaction: { mode: 'index', axis: isBar ? 'y' : 'x', intersect: false },
      plugins: {
        legend: {
          display: series.length > 1,
          position: 'bottom',
          labels: { color: textColor, usePointStyle: true, boxHeight: 7 },
        },
        tooltip: {
          callbacks: {
            label: ({ dataset, parsed }) =>
              `${dataset.label}: ${(format ?? formatNumber)(Number(isBar ? parsed.x : parsed.y))}`,
          },
        },
      },
      scales: {
        [isBar ? 'y' : 'x']: {
          ticks: {
            color: textColor,
            maxRotation: 0,
            autoSkipPadding: 16,
            ...(isBar && {
              autoSkip: false,
              callback: (index: string | number) => wrapLabel(labels[Number(index)] ?? ''),
            }),
          },
          grid: { display: false },
          border: { color: lineColor },
        },
        [isBar ? 'x' : 'y']: {
          beginAtZero: true,
          ticks: {
            color: textColor,
            maxTicksLimit: 6,
            callback: (value: string | number) => (format ?? formatNumber)(Number(value)),
          },
          grid: { color: lineColor },
          border: { display: false },
        },
      },
    };
    if (chart.current) {
      chart.current.data = data;
      chart.current.options = options;
      chart.current.update('none');
    } else if (canvas.current) {
      chart.current = new ChartJs(canvas.current, { type: kind, data, options });
    }
  }, [kind, labels, series, format, scheme]);
  useEffect(
    () => () => {
      chart.current?.destroy();
      chart.current = null;
    },
    [],
  );
  return (
    <div style={{ height, position: 'relative' }} aria-hidden="true">
      <canvas ref={canvas} />
    </div>
  );
}
