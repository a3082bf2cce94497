import type { CreateTable, PresetInfo, RulesInfo, TableCreated, TableInfo, TableSummary } from '../gen/protocol';

/** The server refused: `message` is for the player. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly clause: string | null = null,
  ) {
    super(message);
  }
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, { credentials: 'same-origin', ...init });
  if (response.ok) return (await response.json()) as T;
  const body = (await response.json().catch(() => ({}))) as { message?: string; detail?: unknown; clause?: string | null };
  const text = body.message ?? (typeof body.detail === 'string' ? body.detail : response.statusText);
  throw new ApiError(response.status, text, body.clause ?? null);
}

export const presets = (): Promise<PresetInfo[]> => ask('/api/presets');

export const myTables = (): Promise<TableSummary[]> => ask('/api/tables');

export const createTable = (wanted: CreateTable): Promise<TableCreated> =>
  ask('/api/tables', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  });

export function rules(preset: string, options: TableInfo['options']): Promise<RulesInfo> {
  const query = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, String(value)]));
  return ask(`/api/rules/${encodeURIComponent(preset)}?${query}`);
}

export const recordUrl = (table: string): string => `/api/tables/${encodeURIComponent(table)}/record`;

export const socketUrl = (table: string): string =>
  `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/tables/${encodeURIComponent(table)}`;
