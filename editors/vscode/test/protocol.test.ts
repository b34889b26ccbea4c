// @vitest-environment node
/** The mirror of the wire in src/protocol/ says what the server's own types say. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const HERE = import.meta.dirname;
const REPOSITORY = path.resolve(HERE, "../../..");

interface Member {
  optional: boolean;
  nullable: boolean;
  /** A JSON type, the words of an enumeration, or nothing for what may be anything. */
  kind: string | string[];
}

interface Wire {
  types: Record<string, Record<string, Member>>;
  messages: Record<string, Record<string, { optional: boolean }>>;
  events: string[];
  methods: string[];
}

/** Of methods that the extension does not use, and parts of types that vscode-languageclient makes. */
const NOT_MIRRORED = new Set([
  "WireModel",
  "Event",
  "ClearQueueResult",
  "DiagnosticRange",
  "DiagnosticsAnswer",
  "DocumentDiagnostics",
  "Empty",
  "IdleResult",
  "TextEdit",
  "TrustResult",
  "WaitForIdleParams",
  "WireDiagnostic",
]);

/** Written by the harness for the context alone; no entry that a client is given holds them. */
const CONTEXT_ONLY = new Set(["CompactionSummaryMessage", "BranchSummaryMessage"]);

const wire = serversWire();
const mirror = mirrorsTypes();

describe("the mirror of the wire", () => {
  it.each(Object.keys(wire.types).filter((name) => !NOT_MIRRORED.has(name)))(
    "has %s as the server has it",
    (name) => {
      const mirrored = mirror.get(name);
      expect(mirrored, `src/protocol has no interface ${name}`).toBeDefined();
      const members = wire.types[name] ?? {};
      expect(Object.keys(mirrored ?? {}).sort()).toEqual(Object.keys(members).sort());
      for (const [member, theirs] of Object.entries(members)) {
        const ours = mirrored?.[member];
        expect
          .soft(ours?.optional, `${name}.${member} may be left out`)
          .toBe(theirs.optional && !isTag(theirs));
        expect.soft(ours?.nullable, `${name}.${member} may be null`).toBe(theirs.nullable);
        expect
          .soft(
            fits(ours?.kind, theirs.kind),
            `${name}.${member}: ${String(ours?.kind)} for ${String(theirs.kind)}`,
          )
          .toBe(true);
      }
    },
  );

  it.each(Object.keys(wire.messages).filter((name) => !CONTEXT_ONLY.has(name)))(
    "has the message type %s",
    (name) => {
      const mirrored = mirror.get(name);
      const members = wire.messages[name] ?? {};
      expect(Object.keys(mirrored ?? {}).sort()).toEqual(Object.keys(members).sort());
      for (const [member, { optional }] of Object.entries(members)) {
        expect.soft(mirrored?.[member]?.optional, `${name}.${member}`).toBe(optional);
      }
    },
  );

  it("knows every event", () => {
    const known = [...mirror.values()].flatMap((members) => {
      const kind = members.type?.kind;
      return Array.isArray(kind) && kind.length === 1 ? kind : [];
    });
    expect(known).toEqual(expect.arrayContaining(wire.events));
  });

  it("asks for nothing that the server does not have", () => {
    const methods = Object.keys(mirror.get("Requests") ?? {});
    expect(methods.length).toBeGreaterThan(20);
    expect(wire.methods).toEqual(expect.arrayContaining(methods));
  });
});

/** A member that only says which type it is. */
function isTag(member: Member): boolean {
  return Array.isArray(member.kind) && member.kind.length === 1;
}

/** The mirror may say more exactly what the server leaves open, not less. */
function fits(ours: Member["kind"] | undefined, theirs: Member["kind"]): boolean {
  if (theirs === "" || ours === undefined) return ours !== undefined;
  if (Array.isArray(theirs)) return Array.isArray(ours) && ours.join() === theirs.join();
  return Array.isArray(ours) ? theirs === "string" : ours === theirs;
}

function serversWire(): Wire {
  const own = path.join(REPOSITORY, ".venv/bin/python");
  const python = process.env.PYTHON ?? (existsSync(own) ? own : "python3");
  const output = execFileSync(python, [path.join(HERE, "dump_wire.py")], {
    cwd: REPOSITORY,
    encoding: "utf8",
  });
  return JSON.parse(output) as Wire;
}

function mirrorsTypes(): Map<string, Record<string, Member>> {
  const directory = path.resolve(HERE, "../src/protocol");
  const files = ts.sys.readDirectory(directory, [".ts"]);
  const program = ts.createProgram(files, {
    strict: true,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
  });
  const checker = program.getTypeChecker();
  const types = new Map<string, Record<string, Member>>();
  for (const source of program.getSourceFiles().filter((file) => files.includes(file.fileName))) {
    source.forEachChild((node) => {
      if (!ts.isInterfaceDeclaration(node)) return;
      const members = checker
        .getTypeAtLocation(node)
        .getProperties()
        .map((property): [string, Member] => [property.name, describeMember(checker, property, node)]);
      types.set(node.name.text, Object.fromEntries(members));
    });
  }
  return types;
}

function describeMember(checker: ts.TypeChecker, property: ts.Symbol, node: ts.Node): Member {
  const type = checker.getTypeOfSymbolAtLocation(property, node);
  const parts = type.isUnion() ? type.types : [type];
  const not = (flag: ts.TypeFlags) => (part: ts.Type) => (part.flags & flag) === 0;
  const real = parts.filter(not(ts.TypeFlags.Null)).filter(not(ts.TypeFlags.Undefined));
  return {
    optional: (property.flags & ts.SymbolFlags.Optional) !== 0,
    nullable: parts.some((part) => (part.flags & ts.TypeFlags.Null) !== 0),
    kind: kindOf(checker, real),
  };
}

function kindOf(checker: ts.TypeChecker, parts: ts.Type[]): Member["kind"] {
  if (parts.length > 0 && parts.every((part) => part.isStringLiteral())) {
    return parts.map((part) => part.value).sort();
  }
  const kinds = new Set(
    parts.map((part) => {
      if (part.flags & ts.TypeFlags.StringLike) return "string";
      if (part.flags & ts.TypeFlags.NumberLike) return "number";
      if (part.flags & ts.TypeFlags.BooleanLike) return "boolean";
      return checker.isArrayType(part) ? "array" : part.flags & ts.TypeFlags.Object ? "object" : "";
    }),
  );
  return kinds.size === 1 ? ([...kinds][0] ?? "") : "";
}
