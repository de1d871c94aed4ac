import { basename } from "node:path";
import { type Finding, lineOf, type SourceTree } from "../source-tree.ts";

/** What a person reads in one sitting. */
export const MAX_LINES = 450;
/** Files that a script makes (`npm run abi`) are not for reading. */
const MADE_FOLDER = "vm/interfaces/abi/";

export function longFiles({ sources }: SourceTree): readonly Finding[] {
  return sources
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split("\n").length }))
    .filter(({ lines, path }) => lines > MAX_LINES && !path.startsWith(MADE_FOLDER))
    .map(({ path, lines }) => ({
      path,
      message: `has ${lines} lines, more than ${MAX_LINES}: split it by what its parts do`,
    }));
}

const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function fileNames({ sources }: SourceTree): readonly Finding[] {
  return sources
    .filter(({ path }) => {
      const folders = path.split("/").slice(0, -1);
      const name = basename(path).replace(/(?:\.test|\.d)?\.tsx?$/, "");
      return ![...folders, name].every((part) => KEBAB_CASE.test(part));
    })
    .map(({ path }) => ({ path, message: "is not named in kebab-case: rename it, as in state-tree.ts" }));
}

const UNFINISHED = /\b(?:TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))/g;

/** A note that something is missing names the issue in which it will be done. */
export function unfinishedNotes({ sources }: SourceTree): readonly Finding[] {
  return sources.flatMap(({ path, comments }) =>
    [...comments.matchAll(UNFINISHED)].map((match) => ({
      path,
      line: lineOf(comments, match.index),
      message: `${match[0]} without an issue: do it now, or write ${match[0]}(#123) with the issue's number`,
    })),
  );
}
