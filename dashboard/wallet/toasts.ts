/** Short messages about what the reader has begun. */
import { Store } from "../state/store.ts";

export interface Toast {
  readonly id: number;
  readonly tone: "plain" | "good" | "bad";
  readonly title: string;
  readonly detail: string;
  /** A transaction to look at. */
  readonly hash?: string | undefined;
}

const MAX_TOASTS = 4;
const GOOD_MILLISECONDS = 8000;

export const toasts: Store<readonly Toast[]> = new Store<readonly Toast[]>([]);
let nextId = 1;

export function showToast(toast: Omit<Toast, "id">, replaced?: number): number {
  const id = nextId++;
  toasts.update((shown) => [...shown.filter((other) => other.id !== replaced), { ...toast, id }].slice(-MAX_TOASTS));
  // What went wrong stays until it is read.
  if (toast.tone === "good") setTimeout(() => hideToast(id), GOOD_MILLISECONDS);
  return id;
}

export function hideToast(id: number): void {
  toasts.update((shown) => shown.filter((toast) => toast.id !== id));
}
