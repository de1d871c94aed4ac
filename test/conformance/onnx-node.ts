/** ONNX's node tests: each operator as a program, on the engine that defines results. */
import { isCoded } from "../../base/errors.ts";
import { type CaseResult, jsonFiles, type Suite } from "./suite.ts";
import { checkOnnxCase, type OnnxCase } from "./support/onnx-case.ts";

export const suite: Suite = {
  name: "onnx-node",
  description: "ONNX's operator tests, lowered to programs of verifiable tiles",
  *run(path: string): Generator<CaseResult> {
    for (const { content } of jsonFiles(path)) {
      if (!isOnnxFile(content)) continue;
      for (const test of content) yield runOne(test);
    }
  },
};

function isOnnxFile(content: unknown): content is readonly OnnxCase[] {
  return Array.isArray(content) && content.every((test) => "nodes" in Object(test) && "opset" in Object(test));
}

function runOne(test: OnnxCase): CaseResult {
  const { name } = test;
  try {
    checkOnnxCase(test);
    return { name, outcome: "passed" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // What we do not claim to do is named with its operator; anything else is a failure.
    const outcome = isCoded(error, "ONNX_UNSUPPORTED", "ONNX_DYNAMIC") ? "skipped" : "failed";
    return { name, outcome, reason };
  }
}
