// Reads the PTX that compute/device/cuda prints, and no other.
#include <stdlib.h>
#include <string.h>

#include <sstream>

#include "machine.h"

namespace emulator {

namespace {

struct Symbol {
  uint64_t address;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : text) {
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    if (c == separator && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else part += c;
  }
  parts.push_back(part);
  return parts;
}

std::string trim(const std::string& text) {
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

const char* const SPECIAL_NAMES[SPECIALS] = {
    "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",      "%ntid.z",
    "%ctaid.x",     "%ctaid.y",     "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
    "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "%dynamic_smem_size"};

class KernelParser {
 public:
  explicit KernelParser(Kernel& kernel) : kernel_(kernel) {
    kernel_.places.resize(SPECIALS);
    for (int i = 0; i < SPECIALS; i++) registers_[SPECIAL_NAMES[i]] = i;
  }

  void line(const std::string& text, int number) {
    number_ = number;
    if (text.empty() || text[0] == '{' || text[0] == '}') return;
    if (text[0] == '.') declaration(text);
    else if (text.back() == ':') labels_[text.substr(0, text.size() - 1)] = kernel_.code.size();
    else instruction(text.substr(0, text.size() - 1));
  }

  void header(const std::string& text) {
    size_t open = text.find('('), close = text.rfind(')');
    std::string list = text.substr(open + 1, close - open - 1);
    if (trim(list).empty()) return;
    uint32_t offset = 0;
    for (const std::string& part : split(list, ',')) {
      std::istringstream words(part);
      std::string word, name;
      uint32_t alignment = 0, size = 0;
      while (words >> word) {
        if (word == ".align") words >> alignment;
        else if (word == ".param") continue;
        else if (word[0] == '.') size = static_cast<uint32_t>(atoi(word.c_str() + 2)) / 8;
        else name = word;
      }
      size_t bracket = name.find('[');
      if (bracket != std::string::npos) {
        size = static_cast<uint32_t>(atoi(name.c_str() + bracket + 1));
        name = name.substr(0, bracket);
      }
      if (alignment == 0) alignment = size;
      offset = (offset + alignment - 1) / alignment * alignment;
      kernel_.parameters.push_back({offset, size});
      symbols_[name] = offset;
      offset += size;
    }
    kernel_.parameter_bytes = offset;
  }

  // .extern .shared ..., .const ..., .global ..., .shared ..., .local ...
  void declaration(const std::string& text) {
    if (text.rfind(".reg", 0) == 0 || text.rfind(".maxntid", 0) == 0) return;
    size_t bracket = text.find('['), name_start = text.rfind(' ', bracket) + 1;
    std::string name = text.substr(name_start, bracket - name_start);
    size_t size = strtoull(text.c_str() + bracket + 1, nullptr, 10);
    if (text.rfind(".extern", 0) == 0) dynamic_ = name;
    else if (text.rfind(".shared", 0) == 0) {
      symbols_[name] = 0;
      kernel_.shared_bytes = static_cast<uint32_t>(size);
    } else if (text.rfind(".local", 0) == 0) {
      symbols_[name] = 0;
      kernel_.local_bytes = static_cast<uint32_t>(size);
    } else constant(name, size, text);
  }

  void finish() {
    for (auto& [index, label] : branches_) {
      auto found = labels_.find(label);
      if (found == labels_.end()) fail("no label " + label);
      kernel_.code[index].offset = static_cast<int64_t>(found->second);
    }
    Instruction end;
    end.execute = find_operation({"ret"});
    kernel_.code.push_back(end);
  }

 private:
  [[noreturn]] void fail(const std::string& text) {
    throw Fault(INVALID_PTX, "line " + std::to_string(number_) + ": " + text);
  }

  void constant(const std::string& name, size_t size, const std::string& text) {
    auto bytes = std::make_unique<std::vector<uint8_t>>(size);
    size_t open = text.find('{');
    if (open != std::string::npos) {
      auto values = split(text.substr(open + 1, text.rfind('}') - open - 1), ',');
      for (size_t i = 0; i < values.size(); i++) (*bytes)[i] = static_cast<uint8_t>(atoi(values[i].c_str()));
    }
    symbols_[name] = reinterpret_cast<uint64_t>(bytes->data());
    kernel_.constants.push_back(std::move(bytes));
  }

  int place_of_value(uint64_t value) {
    auto found = values_.find(value);
    if (found != values_.end()) return found->second;
    kernel_.places.push_back(value);
    return values_[value] = static_cast<int>(kernel_.places.size() - 1);
  }

  int place_of_register(const std::string& name) {
    auto found = registers_.find(name);
    if (found != registers_.end()) return found->second;
    kernel_.places.push_back(0);
    return registers_[name] = static_cast<int>(kernel_.places.size() - 1);
  }

  uint64_t address_of(const std::string& text) {
    size_t plus = text.find('+');
    std::string name = text.substr(0, plus);
    uint64_t offset = plus == std::string::npos ? 0 : strtoull(text.c_str() + plus + 1, nullptr, 10);
    if (name == dynamic_ && !dynamic_.empty()) return kernel_.shared_bytes + offset;
    auto found = symbols_.find(name);
    if (found == symbols_.end()) fail("no symbol " + name);
    return found->second + offset;
  }

  int source(const std::string& given) {
    std::string text = trim(given);
    if (text.empty()) fail("an operand is missing");
    if (text[0] == '%') return place_of_register(text);
    if (text.rfind("0f", 0) == 0 || text.rfind("0d", 0) == 0) {
      return place_of_value(strtoull(text.c_str() + 2, nullptr, 16));
    }
    if (text[0] == '-') return place_of_value(static_cast<uint64_t>(strtoll(text.c_str(), nullptr, 10)));
    if (text[0] >= '0' && text[0] <= '9') return place_of_value(strtoull(text.c_str(), nullptr, 10));
    return place_of_value(address_of(text));
  }

  static uint64_t mask_of(const std::string& name) {
    if (name.size() < 2 || name[0] != '%') return ~0ull;
    return name[1] == 'p' ? 1 : name[1] == 'h' ? 0xffff : name[1] == 'r' ? 0xffffffff : ~0ull;
  }

  void memory(Instruction& made, const std::string& given) {
    std::string text = trim(given);
    text = text.substr(1, text.size() - 2);
    if (text[0] != '%') {
      made.offset = static_cast<int64_t>(address_of(text));
      return;
    }
    size_t plus = text.find('+');
    made.a[0] = place_of_register(text.substr(0, plus));
    if (plus != std::string::npos) made.offset = strtoll(text.c_str() + plus + 1, nullptr, 10);
  }

  std::vector<std::string> braces(const std::string& given) {
    std::string text = trim(given);
    if (text[0] != '{') return {text};
    return split(text.substr(1, text.size() - 2), ',');
  }

  void destinations(Instruction& made, const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); i++) {
      std::string name = trim(names[i]);
      made.d[i] = place_of_register(name);
      if (i == 0) made.mask = mask_of(name);
    }
    made.lanes = static_cast<uint8_t>(names.size());
  }

  void instruction(std::string text) {
    Instruction made;
    made.line = number_;
    if (text[0] == '@') {
      size_t space = text.find(' ');
      made.negated = text[1] == '!';
      made.guard = place_of_register(text.substr(made.negated ? 2 : 1, space - (made.negated ? 2 : 1)));
      text = text.substr(space + 1);
    }
    size_t space = text.find(' ');
    std::vector<std::string> name = split(text.substr(0, space), '.');
    std::vector<std::string> operands;
    if (space != std::string::npos) operands = split(text.substr(space + 1), ',');
    if (!waiting(made, name, operands)) plain(made, name, operands);
    kernel_.code.push_back(made);
  }

  void plain(Instruction& made, const std::vector<std::string>& name, const std::vector<std::string>& operands) {
    made.execute = find_operation(name);
    if (made.execute == nullptr) fail("unknown instruction " + name[0]);
    if (name[0] == "bra") {
      branches_.emplace_back(kernel_.code.size(), trim(operands[0]));
    } else if (name[0] == "ld") {
      destinations(made, braces(operands[0]));
      memory(made, operands[1]);
    } else if (name[0] == "st" || name[0] == "red") {
      memory(made, operands[0]);
      auto values = braces(operands[1]);
      made.lanes = static_cast<uint8_t>(values.size());
      for (size_t i = 0; i < values.size(); i++) made.a[1 + i] = source(values[i]);
    } else if (!operands.empty()) {
      destinations(made, {operands[0]});
      for (size_t i = 1; i < operands.size(); i++) made.a[i - 1] = source(operands[i]);
    }
  }

  bool waiting(Instruction& made, const std::vector<std::string>& name, const std::vector<std::string>& operands) {
    if (name[0] == "barrier") {
      made.wait = Wait::barrier;
      made.offset = atoi(operands[0].c_str());
      return true;
    }
    size_t first = 1;
    if (name[0] == "bar") {
      made.wait = Wait::warpsync;
      first = 0;
    } else if (name[0] == "shfl") made.wait = Wait::shuffle, made.mode = name[2][0];
    else if (name[0] == "vote") made.wait = Wait::vote, made.mode = name[2] == "any" ? 'n' : name[2][0];
    else if (name[0] == "match") made.wait = Wait::match, made.mode = name[1] == "any" ? 'n' : 'a';
    else return false;
    if (first == 1) destinations(made, split(operands[0], '|'));
    for (size_t i = first; i < operands.size(); i++) made.a[i - first] = source(operands[i]);
    return true;
  }

  Kernel& kernel_;
  int number_ = 0;
  std::map<std::string, int> registers_;
  std::map<uint64_t, int> values_;
  std::map<std::string, uint64_t> symbols_;
  std::map<std::string, size_t> labels_;
  std::vector<std::pair<size_t, std::string>> branches_;
  std::string dynamic_;
};

}  // namespace

std::map<std::string, std::unique_ptr<Kernel>> parse(const std::string& text) {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  auto kernel = std::make_unique<Kernel>();
  KernelParser parser(*kernel);
  std::istringstream lines(text);
  std::string line, name;
  for (int number = 1; std::getline(lines, line); number++) {
    line = trim(line);
    if (line.rfind(".version", 0) == 0 || line.rfind(".target", 0) == 0 || line.rfind(".address_size", 0) == 0) continue;
    if (line.rfind(".visible .entry ", 0) == 0) {
      name = line.substr(16, line.find('(') - 16);
      parser.header(line);
    } else parser.line(line, number);
  }
  if (name.empty()) throw Fault(INVALID_PTX, "there is no kernel");
  parser.finish();
  kernels[name] = std::move(kernel);
  return kernels;
}

}  // namespace emulator
